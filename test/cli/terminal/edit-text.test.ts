import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hintTexts } from '../../../src/cli/catalog/hint-text.ts'
import {
  type EditOptions,
  editText,
  saveRejectedText,
} from '../../../src/cli/terminal/edit-text.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { rejectionOf } from '../../support/thrown-by.ts'

/** Makes `a` a text that is wrong. */
const SPOIL = 'sed -i "s/^a$/12/" "$1"'

/** Edits `a` below a line that says what it is. */
const edit = (EDITOR: string, options: Partial<EditOptions<string>> = {}) =>
  editText('a\n', { environment: { EDITOR }, header: ['A plane.'], parse, ...options })

/** Refuses what is not a letter and a line break. */
function parse(text: string): string {
  if (!/^[a-z]\n$/.test(text)) {
    throw new VplaneError('INVALID_SPEC', 'it is no letter')
  }
  return text.trim()
}

test('gives the edited text, without our comments', async () => {
  const { EDITOR } = editor('sed -i s/a/b/ "$1"')

  const edited = await edit(EDITOR, { header: [] })

  expect(edited).toBe('b')
})

test('opens a text that is wrong once more, with the reason above it', async () => {
  const { EDITOR, seen } = editor(`grep -q 12 "$1" && sed -i "s/^12$/c/" "$1" || ${SPOIL}`)

  const edited = await edit(EDITOR)

  expect(edited).toBe('c')
  expect(seen()).toEqual(['# A plane.', 'a', '# A plane.', '#', '# it is no letter', '12'])
})

test('lets reasons name the lines that the text has below them', async () => {
  const { EDITOR, seen } = editor(`grep -q 12 "$1" && sed -i "s/^12$/c/" "$1" || ${SPOIL}`)
  const parseLine = (text: string, linesAbove: number) => {
    if (text === '12\n') {
      throw new VplaneError('INVALID_SPEC', `line ${linesAbove + 1}: no letter\nno good`)
    }
    return text
  }

  await edit(EDITOR, { parse: parseLine })

  const shown = seen().slice(2)
  expect(shown).toEqual(['# A plane.', '#', '# line 5: no letter', '# no good', '12'])
})

test('keeps a text that is left wrong, and says where', async () => {
  const { EDITOR } = editor(SPOIL)

  const error = await rejectionOf(edit(EDITOR))

  const [, file = ''] = /saved in (.*)$/.exec(error.hints.join()) ?? []
  expect(file).toMatch(/^\/.*\/vplane-edited-[^/]+\/spec\.yaml$/)
  onTestFinished(() => rmSync(join(file, '..'), { recursive: true }))
  expect(error).toMatchObject({ code: 'INVALID_SPEC', message: 'it is no letter' })
  expect(readFileSync(file, 'utf8')).toContain('12\n')
})

test('gives a text that was not changed as it was', async () => {
  const { EDITOR } = editor('true')

  expect(await edit(EDITOR)).toBe('a')
})

test('fails with the editor', async () => {
  const { EDITOR } = editor('exit 3')

  expect((await rejectionOf(edit(EDITOR))).code).toBe('FAILED')
})

/** An editor that notes what it was given, and does something with it. */
function editor(script: string): { EDITOR: string; seen: () => string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'vplane-editor-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const program = join(folder, 'editor')
  const log = join(folder, 'log')
  writeFileSync(program, `#!/bin/sh\ncat "$1" >> ${log}\n${script}\n`, { mode: 0o755 })
  return { EDITOR: program, seen: () => readFileSync(log, 'utf8').trim().split('\n') }
}

test('keeps a text for its owner alone, and says where beside what went wrong', async () => {
  const failure = new VplaneError('CONFLICT', 'it was changed meanwhile', { hints: ['again'] })

  const { cause, code, message, ...kept } = await saveRejectedText('a: 1\n', failure)
  const hints = hintTexts(kept.hints)

  const file = hints[1]?.replace('your text is saved in ', '') ?? ''
  expect(file).toMatch(/^\/.*\/vplane-edited-[^/]+\/spec\.yaml$/)
  onTestFinished(() => rmSync(dirname(file), { recursive: true }))
  expect({ cause, code, message }).toEqual({
    cause: failure,
    code: 'CONFLICT',
    message: 'it was changed meanwhile',
  })
  expect(hints[0]).toBe('again')
  expect(readFileSync(file, 'utf8')).toBe('a: 1\n')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})
