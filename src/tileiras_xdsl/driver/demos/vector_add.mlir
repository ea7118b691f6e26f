// c = a + b for vectors of n elements, 1024 elements to a tile block; launch ceil(n / 1024) blocks.
//
// A partition view cuts a vector into tiles. The last tile may reach over the end: what is loaded
// from there is the padding, what is stored there is dropped, so the kernel needs no mask.
//
// Something is left for `-p canonicalize` to do: facts that are stated twice, and values that
// nothing uses.

cuda_tile.module @demo {
  entry @vector_add(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>, %n: tile<i32>) {
    // What the caller promises: aligned vectors, a length that is not negative.
    %a_aligned = assume div_by<16>, %a : tile<ptr<f32>>
    %b_aligned = assume div_by<16>, %b : tile<ptr<f32>>
    %c_aligned = assume div_by<16>, %c : tile<ptr<f32>>
    %length = assume bounded<0, ?>, %n : tile<i32>
    %length_again = assume bounded<0, ?>, %length : tile<i32>

    // The vectors in memory.
    %a_vector = make_tensor_view %a_aligned, shape = [%length], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %b_vector = make_tensor_view %b_aligned, shape = [%length], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %c_vector = make_tensor_view %c_aligned, shape = [%length_again], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>

    // The same in tiles.
    %a_tiles = make_partition_view %a_vector : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %b_tiles = make_partition_view %b_vector : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>
    %c_tiles = make_partition_view %c_vector : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>

    // One tile for each block.
    %block, %block_y, %block_z = get_tile_block_id : tile<i32>
    %blocks, %blocks_y, %blocks_z = get_num_tile_blocks : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %last = subi %blocks, %one : tile<i32>
    %x, %x_token = load_view_tko weak %a_tiles[%block] : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    %y, %y_token = load_view_tko weak %b_tiles[%block] : partition_view<tile=(1024), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    %sum = addf %x, %y : tile<1024xf32>
    %stored = store_view_tko weak %sum, %c_tiles[%block] : tile<1024xf32>, partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
