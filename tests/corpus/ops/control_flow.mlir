// Control flow: loops, branches, every terminator in every place it may stand.

entry @branches(%c: tile<i1>, %a: tile<f32>, %b: tile<i32>) {
  if %c {
  }
  if %c {
    %0 = negf %a : tile<f32>
  } else {
    %0 = absf %a : tile<f32>
  }
  %one = if %c -> (tile<f32>) {
    yield %a : tile<f32>
  } else {
    %0 = negf %a : tile<f32>
    yield %0 : tile<f32>
  }
  %t0 = make_token : token
  %three:3 = if %c -> (tile<f32>, tile<i32>, token) {
    yield %one, %b, %t0 : tile<f32>, tile<i32>, token
  } else {
    %0 = make_token : token
    yield %a, %b, %0 : tile<f32>, tile<i32>, token
  }
  %partial = if %c -> (tile<f32>) {
    return
  } else {
    yield %three#0 : tile<f32>
  }
  assert %c, "a \22condition\22\0A" : tile<i1>
  %mask = constant <i1: [true, false]> : tile<2xi1>
  assert %mask, "" : tile<2xi1>
  return
}

entry @counted_loops(%lb: tile<i32>, %ub: tile<i32>, %step: tile<i32>, %a: tile<f32>, %c: tile<i1>) {
  for %i in (%lb to %ub, step %step) : tile<i32> {
    if %c {
      continue
    }
  }
  %one = for %i in (%lb to %ub, step %step) : tile<i32> iter_values(%x = %a) -> (tile<f32>) {
    %y = itof %i signed : tile<i32> -> tile<f32>
    %z = addf %x, %y : tile<f32>
    continue %z : tile<f32>
  }
  %wide = exti %lb signed : tile<i32> -> tile<i64>
  %two:2 = for %i in (%wide to %wide, step %wide) : tile<i64> iter_values(%x = %a, %n = %lb) -> (tile<f32>, tile<i32>) {
    %r = if %c -> (tile<f32>) {
      continue %x, %n : tile<f32>, tile<i32>
    } else {
      %inner = for %j in (%lb to %ub, step %step) : tile<i32> iter_values(%u = %x) -> (tile<f32>) {
        continue %u : tile<f32>
      }
      yield %inner : tile<f32>
    }
    continue %r, %n : tile<f32>, tile<i32>
  }
  %after = addf %one, %two#0 : tile<f32>
  return
}

entry @endless_loops(%a: tile<f32>, %b: tile<i32>, %c: tile<i1>) {
  loop {
    break
  }
  loop {
    if %c {
      break
    } else {
      continue
    }
    continue
  }
  %same = loop iter_values(%x = %a) : tile<f32> -> tile<f32> {
    if %c {
      break %x : tile<f32>
    }
    continue %x : tile<f32>
  }
  %other:2 = loop iter_values(%n = %b) : tile<i32> -> tile<f32>, tile<i32> {
    if %c {
      break %a, %n : tile<f32>, tile<i32>
    }
    %m = addi %n, %n : tile<i32>
    continue %m : tile<i32>
  }
  %result = loop : tile<f32> {
    break %same : tile<f32>
  }
  loop {
    if %c {
      return
    }
    continue
  }
  return
}

entry @grid() {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %nx, %ny, %nz = get_num_tile_blocks : tile<i32>
  return
}

// -----
// before 13.2: 'cuda_tile.for' op optional attribute 'unsignedCmp' is provided but requires bytecode version 13.2, targeting {version}

entry @unsigned_loop(%lb: tile<i8>, %ub: tile<i8>, %step: tile<i8>) {
  for unsigned %i in (%lb to %ub, step %step) : tile<i8> {
  }
  return
}
