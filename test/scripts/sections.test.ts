import { describe, expect, test } from 'vitest'
import {
  commandReference,
  commandTable,
  exitCodeTable,
  replaceSections,
} from '../../scripts/readme/sections.ts'

describe('a generated section', () => {
  test('is replaced between its markers, and nothing else is', () => {
    const text =
      '# Title\n<!-- one -->\nold\n<!-- one stop -->\n\n<!-- two --><!-- two stop -->end\n'

    const result = replaceSections(text, { one: 'new\n', two: 'more' })

    expect(result).toBe(
      '# Title\n<!-- one -->\n\nnew\n\n<!-- one stop -->\n\n<!-- two -->\n\nmore\n\n<!-- two stop -->end\n',
    )
    expect(replaceSections(result, { one: 'new\n', two: 'more' })).toBe(result)
  })

  test.for([
    ['no start', 'x <!-- one stop -->', '<!-- one -->'],
    ['no stop', '<!-- one --> x', '<!-- one stop -->'],
    ['its stop before its start', '<!-- one stop --> x <!-- one -->', '<!-- one stop -->'],
  ] as const)('with %s is an error', ([, text, missing]) => {
    expect(() => replaceSections(text, { one: 'new' })).toThrow(missing)
  })
})

describe('the commands', () => {
  const commands = [
    { id: 'list', aliases: ['ls'], summary: 'List planes | all of them.' },
    { id: 'ls', aliases: ['ls'], summary: 'List planes.' },
    { id: 'config:get', summary: 'Print a setting.', flags: { raw: { type: 'boolean' } } },
    { id: '__complete', hidden: true, summary: 'For shells.' },
  ] as const

  test('are in the table once, by name, without hidden ones and aliases', () => {
    expect(commandTable(commands).match(/^\| \[.*$/gm)).toEqual([
      '| [`vplane config get`](#vplane-config-get) | Print a setting. |',
      String.raw`| [${'`vplane list`'}](#vplane-list) | List planes \| all of them. |`,
    ])
  })

  test('have a heading and their help in the reference', () => {
    const reference = commandReference(commands)

    expect(reference.match(/^## .*$/gm)).toEqual(['## vplane config get', '## vplane list'])
    expect(reference).toContain('--raw')
    expect(reference).not.toContain('__complete')
  })
})

test('the table of exit codes names what JSON shows', () => {
  const table = exitCodeTable([
    { status: 0, meaning: 'Success.', codes: [] },
    { status: 3, meaning: 'There is none.', codes: ['NOT_FOUND', 'GONE'] },
  ])

  expect(table.split('\n').slice(2)).toEqual([
    '| 0 | Success. |  |',
    '| 3 | There is none. | `NOT_FOUND`, `GONE` |',
  ])
})
