import { expect, test } from 'vitest'
import { sharedLibraries } from './node-recipe.ts'

test('takes the files that ldd names, with what loads them', () => {
  const said = `	linux-vdso.so.1 (0x00007f692d94d000)
	libdl.so.2 => /lib/x86_64-linux-gnu/libdl.so.2 (0x00007f692d937000)
	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f692d41e000)
	/lib64/ld-linux-x86-64.so.2 (0x00007f692d94f000)`

  expect(sharedLibraries(said)).toEqual([
    '/lib/x86_64-linux-gnu/libdl.so.2',
    '/lib/x86_64-linux-gnu/libc.so.6',
    '/lib64/ld-linux-x86-64.so.2',
  ])
})

test('finds none in a program that is linked statically', () => {
  expect(sharedLibraries('	not a dynamic executable')).toEqual([])
})
