import { expect, test } from 'vitest'
import { shortFileName } from '../../../src/shared/files/short-file-name.ts'

test('contains its parts as long as it is short', () => {
  expect(shortFileName(['dev', 'team/a', 'arn:aws:eks'])).toBe('dev_team%2Fa_arn%3Aaws%3Aeks')
})

test('fits into a file system for any parts, and is unique for its parts', () => {
  const context = 'c'.repeat(400)
  const one = shortFileName(['dev', context])
  const other = shortFileName(['dev', `${context}x`])

  expect(one).toHaveLength(200)
  expect(one).toMatch(/^dev_c+[0-9a-f]{32}$/)
  expect(one).toBe(shortFileName(['dev', context]))
  expect(other).not.toBe(one)
})
