import { expect, test } from 'vitest'
import { removeContext } from '../../../src/kubeconfig/contexts/remove-context.ts'
import { setContext } from '../../../src/kubeconfig/contexts/set-context.ts'
import { parseOnce } from '../../../src/kubeconfig/text/kubeconfig-text.ts'
import { execEntry } from '../entries.ts'

test('parses a text again only after another one', () => {
  const one = parseOnce('kind: Config\n')

  expect(parseOnce('kind: Config\n')).toBe(one)
  expect(parseOnce('kind: List\n').data).toEqual({ kind: 'List' })
  expect(parseOnce('kind: Config\n')).toEqual(one)
})

test('a removal leaves what was parsed as it is, and so removes the same again', () => {
  const text = [1, 2, 3].reduce(
    (before, number) => setContext(before, execEntry(`dev-${number}`)),
    '',
  )
  const before = structuredClone(parseOnce(text).data)

  const first = removeContext(text, 'vplane_dev-2')
  const again = removeContext(text, 'vplane_dev-2')

  expect(parseOnce(text).data).toEqual(before)
  expect(again).toBe(first)
  expect(first).not.toContain('dev-2')
})
