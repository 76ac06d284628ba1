import { readFileSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { keepText } from '../../../src/cli/terminal/keep-text.ts'
import { VplaneError } from '../../../src/shared/errors.ts'

test('keeps a text for its owner alone, and says where beside what went wrong', async () => {
  const failure = new VplaneError('CONFLICT', 'it was changed meanwhile', { hints: ['again'] })

  const { cause, code, hints, message } = await keepText('a: 1\n', failure)

  const file = hints[1]?.replace('your text is kept in ', '') ?? ''
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
