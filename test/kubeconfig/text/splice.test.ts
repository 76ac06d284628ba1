import { expect, test } from 'vitest'
import { splice } from '../../../src/kubeconfig/text/splice.ts'

test('leaves everything outside of the edits', () => {
  const edits = [
    { start: 6, end: 11, text: 'there' },
    { start: 0, end: 0, text: '> ' },
    { start: 5, end: 6, text: '' },
  ]

  expect(splice('hello world!', edits)).toBe('> hellothere!')
  expect(splice('hello', [])).toBe('hello')
})

test('keeps the order of insertions at the same place', () => {
  const edits = ['a', 'b', 'c'].map((text) => ({ start: 1, end: 1, text }))

  expect(splice('[]', edits)).toBe('[abc]')
})

test('inserts between two removals', () => {
  const edits = [
    { start: 1, end: 3, text: '' },
    { start: 1, end: 1, text: 'x' },
    { start: 3, end: 3, text: 'y' },
  ]

  expect(splice('abcd', edits)).toBe('axyd')
})

test('removes a range once when two edits remove it', () => {
  const edits = [
    { start: 1, end: 4, text: '' },
    { start: 2, end: 3, text: '' },
    { start: 3, end: 5, text: '' },
  ]

  expect(splice('abcdef', edits)).toBe('af')
})
