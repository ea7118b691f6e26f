cuda_tile.module @m {
testing$func @hoisted(%c: !cuda_tile.tile<i1>, %x: !cuda_tile.tile<{T}>) -> !cuda_tile.tile<{T}> {
  %r = if %c -> (!cuda_tile.tile<{T}>) {
    %one = constant <{T}: 1> : tile<{T}>
    %s = addi %x, %one : tile<{T}>
    yield %s : tile<{T}>
  } else {
    yield %x : tile<{T}>
  }
  return %r : tile<{T}>
}
testing$func @swapped(%c: !cuda_tile.tile<i1>, %x: !cuda_tile.tile<{T}>) -> !cuda_tile.tile<{T}> {
  %t = constant <i1: true> : tile<i1>
  %n = xori %c, %t : tile<i1>
  %r = if %n -> (!cuda_tile.tile<{T}>) {
    %0 = negi %x : tile<{T}>
    yield %0 : tile<{T}>
  } else {
    %0 = absi %x : tile<{T}>
    yield %0 : tile<{T}>
  }
  return %r : tile<{T}>
}
testing$func @unused(%c: !cuda_tile.tile<i1>, %x: !cuda_tile.tile<{T}>) -> !cuda_tile.tile<{T}> {
  %r:3 = if %c -> (!cuda_tile.tile<{T}>, !cuda_tile.tile<{T}>, !cuda_tile.tile<i1>) {
    %0 = negi %x : tile<{T}>
    yield %0, %x, %c : tile<{T}>, tile<{T}>, tile<i1>
  } else {
    %0 = absi %x : tile<{T}>
    yield %x, %0, %c : tile<{T}>, tile<{T}>, tile<i1>
  }
  return %r#1 : tile<{T}>
}
testing$func @values(%c: !cuda_tile.tile<i1>, %x: !cuda_tile.tile<{T}>) -> (!cuda_tile.tile<{T}>, !cuda_tile.tile<i1>, !cuda_tile.tile<i1>) {
  %t = constant <i1: true> : tile<i1>
  %f = constant <i1: false> : tile<i1>
  %r:3 = if %c -> (!cuda_tile.tile<{T}>, !cuda_tile.tile<i1>, !cuda_tile.tile<i1>) {
    %0 = print_tko "then" -> token
    yield %x, %t, %f : tile<{T}>, tile<i1>, tile<i1>
  } else {
    yield %x, %f, %t : tile<{T}>, tile<i1>, tile<i1>
  }
  return %r#0, %r#1, %r#2 : tile<{T}>, tile<i1>, tile<i1>
}
testing$func @static(%x: !cuda_tile.tile<{T}>) -> (!cuda_tile.tile<{T}>, !cuda_tile.tile<{T}>) {
  %t = constant <i1: true> : tile<i1>
  %f = constant <i1: false> : tile<i1>
  %r = if %t -> (!cuda_tile.tile<{T}>) {
    %0 = negi %x : tile<{T}>
    yield %0 : tile<{T}>
  } else {
    yield %x : tile<{T}>
  }
  %s = if %f -> (!cuda_tile.tile<{T}>) {
    %0 = negi %x : tile<{T}>
    yield %0 : tile<{T}>
  } else {
    %0 = absi %x : tile<{T}>
    yield %0 : tile<{T}>
  }
  return %r, %s : tile<{T}>, tile<{T}>
}
testing$func @selected(%c: !cuda_tile.tile<i1>, %x: !cuda_tile.tile<2x{T}>, %y: !cuda_tile.tile<2x{T}>) -> !cuda_tile.tile<2x{T}> {
  %r = if %c -> (!cuda_tile.tile<2x{T}>) {
    %0 = print_tko "then" -> token
    yield %x : tile<2x{T}>
  } else {
    yield %y : tile<2x{T}>
  }
  return %r : tile<2x{T}>
}
testing$func @leaving(%c: !cuda_tile.tile<i1>, %x: !cuda_tile.tile<{T}>) -> !cuda_tile.tile<{T}> {
  %r = if %c -> (!cuda_tile.tile<{T}>) {
    yield %x : tile<{T}>
  } else {
    %0 = print_tko "leaves" -> token
    %1 = negi %x : tile<{T}>
    return %1 : tile<{T}>
  }
  return %r : tile<{T}>
}
testing$func @empty(%c: !cuda_tile.tile<i1>) {
  if %c {
    %0 = print_tko "then" -> token
  } else {
  }
  return
}
testing$func @merged(%c: !cuda_tile.tile<i1>, %x: !cuda_tile.tile<{T}>) -> (!cuda_tile.tile<{T}>, !cuda_tile.tile<{T}>) {
  %t = constant <i1: true> : tile<i1>
  %r = if %c -> (!cuda_tile.tile<{T}>) {
    %0 = print_tko "A" -> token
    %1 = negi %x : tile<{T}>
    yield %1 : tile<{T}>
  } else {
    %0 = print_tko "B" -> token
    yield %x : tile<{T}>
  }
  %s = if %c -> (!cuda_tile.tile<{T}>) {
    %0 = print_tko "C" -> token
    %1 = absi %r : tile<{T}>
    yield %1 : tile<{T}>
  } else {
    %0 = print_tko "D" -> token
    yield %r : tile<{T}>
  }
  return %r, %s : tile<{T}>, tile<{T}>
}
testing$func @collapsed(%p: !cuda_tile.tile<i1>, %q: !cuda_tile.tile<i1>, %x: !cuda_tile.tile<{T}>) {
  if %p {
    if %q {
      %0 = print_tko "%i", %x : tile<{T}> -> token
    }
  }
  return
}
testing$func @poison(%p: !cuda_tile.tile<i1>, %x: !cuda_tile.tile<{T}>, %y: !cuda_tile.tile<{T}>) {
  %s = addi %x, %y overflow<no_signed_wrap> : tile<{T}>
  %q = cmpi less_than %s, %y, signed : tile<{T}> -> tile<i1>
  if %p {
    if %q {
      %0 = print_tko "%i", %x : tile<{T}> -> token
    }
  }
  return
}
testing$func @shifted(%p: !cuda_tile.tile<i1>, %x: !cuda_tile.tile<{T}>, %y: !cuda_tile.tile<{T}>) -> !cuda_tile.tile<{T}> {
  %s = shri %x, %y signed : tile<{T}>
  %q = cmpi less_than %s, %y, signed : tile<{T}> -> tile<i1>
  %r = if %p -> (!cuda_tile.tile<{T}>) {
    %i = if %q -> (!cuda_tile.tile<{T}>) {
      %0 = print_tko "%i", %x : tile<{T}> -> token
      %1 = negi %x : tile<{T}>
      yield %1 : tile<{T}>
    } else {
      yield %y : tile<{T}>
    }
    yield %i : tile<{T}>
  } else {
    yield %y : tile<{T}>
  }
  return %r : tile<{T}>
}
testing$func @both(%c: !cuda_tile.tile<i1>, %x: !cuda_tile.tile<{T}>) -> !cuda_tile.tile<{T}> {
  if %c {
    %0 = print_tko "A" -> token
    return %x : tile<{T}>
  } else {
    %1 = negi %x : tile<{T}>
    return %1 : tile<{T}>
  }
  return %x : tile<{T}>
}
}
