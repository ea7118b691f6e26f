//! Compiles a file in the compile server from Rust, by the C interface in examples/c:
//!
//!     cc -std=c11 -O2 -c examples/c/tileiras_compile.c
//!     rustc --edition 2021 -C link-arg=tileiras_compile.o examples/rust/compile.rs
//!     ./compile tileiras-xdsl gemm.tilebc gemm.cubin --gpu-name=sm_90

use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::process::exit;
use std::{env, fs, ptr};

#[repr(C)]
struct Answer {
    cubin: *mut c_void,
    size: usize,
    log: *mut c_char,
}

extern "C" {
    fn tileiras_open(command: *const c_char) -> *mut c_void;
    fn tileiras_close(service: *mut c_void);
    fn tileiras_compile(
        service: *mut c_void,
        program: *const c_void,
        size: usize,
        options: *const *const c_char,
        answer: *mut Answer,
    ) -> c_int;
    fn tileiras_free(answer: *mut Answer);
}

/// A compile server.
struct Compiler(*mut c_void);

/// The server takes requests of several threads at once.
unsafe impl Send for Compiler {}
unsafe impl Sync for Compiler {}

impl Compiler {
    fn open(command: &str) -> Option<Compiler> {
        let command = CString::new(command).ok()?;
        let service = unsafe { tileiras_open(command.as_ptr()) };
        (!service.is_null()).then_some(Compiler(service))
    }

    /// The cubin, or the exit code of `tileiras`; and what the compiler said.
    fn compile(&self, program: &[u8], options: &[String]) -> (Result<Vec<u8>, i32>, String) {
        let options: Vec<CString> = options
            .iter()
            .map(|each| CString::new(each.as_str()).expect("no NUL"))
            .collect();
        let mut words: Vec<*const c_char> = options.iter().map(|each| each.as_ptr()).collect();
        words.push(ptr::null());
        let mut answer = Answer {
            cubin: ptr::null_mut(),
            size: 0,
            log: ptr::null_mut(),
        };
        unsafe {
            let program = (program.as_ptr().cast(), program.len());
            let code = tileiras_compile(self.0, program.0, program.1, words.as_ptr(), &mut answer);
            let log = CStr::from_ptr(answer.log).to_string_lossy().into_owned();
            let cubin = match code {
                0 => Ok(std::slice::from_raw_parts(answer.cubin.cast(), answer.size).to_vec()),
                _ => Err(code),
            };
            tileiras_free(&mut answer);
            (cubin, log)
        }
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        unsafe { tileiras_close(self.0) }
    }
}

fn main() {
    let words: Vec<String> = env::args().collect();
    let [_, command, source, output, options @ ..] = words.as_slice() else {
        eprintln!("usage: compile COMMAND FILE OUTPUT OPTION…");
        exit(1)
    };
    let program = fs::read(source).expect("the file can be read");
    let compiler = Compiler::open(command).expect("there is a compile server");
    let (cubin, log) = compiler.compile(&program, options);
    eprint!("{log}");
    match cubin {
        Ok(cubin) => fs::write(output, cubin).expect("the output can be written"),
        Err(code) => exit(code),
    }
}
