import { expect, test } from 'vitest'
import { checkOptions } from '../../../src/library/start/check-options.ts'
import type { StartOptions } from '../../../src/library/types/start-options.ts'
import { thrownBy } from '../../support/thrown-by.ts'

/** Options as JavaScript passes them, where nothing checks their names. */
const optionsOf = (options: object): StartOptions => ({ ...options })

test.for<object>([
  {},
  { crds: [], spec: {}, version: '1.36', timeoutMs: 1, binDir: '/', signal: undefined },
  { log: () => {}, webhooks: { paths: [], objects: [], host: 'a', port: 1 } },
  { crd: undefined },
])('accepts the options %j', (options) => {
  expect(() => checkOptions(optionsOf(options))).not.toThrow()
})

test.for([
  [{ crd: ['config/crd'] }, 'unknown option "crd"', 'did you mean "crds"?'],
  [{ timeout: 5000 }, 'unknown option "timeout"', 'did you mean "timeoutMs"?'],
  [{ webhooks: { path: [] } }, 'unknown option "webhooks.path"', 'did you mean "webhooks.paths"?'],
  [{ crd: [], bindir: '/' }, 'unknown options "crd", "bindir"', 'did you mean "crds"?'],
] as const)('refuses %j', ([options, message, hint]) => {
  const error = thrownBy(() => checkOptions(optionsOf(options)))

  expect(error).toMatchObject({ code: 'USAGE', message })
  expect(error.hints[0]).toBe(hint)
})

test('lists the options when none was meant', () => {
  const { hints } = thrownBy(() => checkOptions(optionsOf({ frobnicate: 1 })))

  expect(hints).toEqual(['options: binDir, crds, log, signal, spec, timeoutMs, version, webhooks'])
})
