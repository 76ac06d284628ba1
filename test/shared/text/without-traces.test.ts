import { expect, test } from 'vitest'
import { withoutTraces } from '../../../src/shared/text/without-traces.ts'

test('removes the traces of goroutines, and keeps the lines before and after', () => {
  const lines = [
    'panic: no space',
    'goroutine 1 [running]:',
    'main.main()',
    '\t/build/main.go:12 +0x1a',
    'goroutine 7 [select]:',
    'runtime.gopark(...)',
    '\truntime/proc.go:460',
    'exit status 2',
  ]

  expect(withoutTraces(lines)).toEqual(['panic: no space', 'exit status 2'])
})

test('removes the trace in a line of JSON', () => {
  const line = String.raw`{"level":"fatal","msg":"x","stacktrace":"main.main\n\t\"a\".go:1"}`

  expect(withoutTraces([line])).toEqual(['{"level":"fatal","msg":"x"}'])
})
