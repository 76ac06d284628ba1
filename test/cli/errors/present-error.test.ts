import { expect, test } from 'vitest'
import { formatError, toErrorJson } from '../../../src/cli/errors/present-error.ts'
import { VplaneError } from '../../../src/shared/errors.ts'

const PLAIN = { color: false, debug: false }

test('shows the message, then each hint on a line of its own', () => {
  const error = new VplaneError('CONTROL_PLANE_NOT_FOUND', 'no control plane named "dev"', {
    hints: ['vplane list', 'usage: vplane connect NAME'],
  })

  expect(formatError(error, PLAIN)).toBe(
    'error: no control plane named "dev"\nhint: vplane list\nusage: vplane connect NAME\n',
  )
})

test('shows neither class names nor stacks', () => {
  const error = new VplaneError('FAILED', 'it broke', { cause: new TypeError('inner') })

  expect(formatError(error, PLAIN)).toBe('error: it broke\n')
})

test('shows the stacks of the error and its cause when debugging', () => {
  const error = new VplaneError('FAILED', 'it broke', { cause: new TypeError('inner') })

  const text = formatError(error, { ...PLAIN, debug: true })

  expect(text).toContain('present-error.test.ts')
  expect(text).toContain('TypeError: inner')
})

test('keeps the lines of a log, and drops what would move the cursor', () => {
  const error = new VplaneError('FAILED', 'etcd ended\n  \u001b[2Jline\u0007 1\r\n\tline 2')

  expect(formatError(error, PLAIN)).toBe('error: etcd ended\n  line 1\n\tline 2\n')
})

test('colours the labels alone', () => {
  const error = new VplaneError('FAILED', 'it broke', { hints: ['retry'] })

  expect(formatError(error, { color: true, debug: false })).toBe(
    '\u001b[31merror:\u001b[39m it broke\n\u001b[36mhint:\u001b[39m retry\n',
  )
})

test('gives scripts code, message, hints and exit code', () => {
  const error = new VplaneError('TIMED_OUT', 'gave up', { hints: ['vplane logs dev'] })

  expect(toErrorJson(error)).toEqual({
    error: { code: 'TIMED_OUT', message: 'gave up', hints: ['vplane logs dev'], exitCode: 6 },
  })
  expect(toErrorJson(error, 125).error.exitCode).toBe(125)
})
