import { expect, test } from 'vitest'
import { givenFlags } from '../../../src/cli/flags/given-flags.ts'

test('knows what was said from what is a default', () => {
  const flags = { version: '1.36', namespace: 'team', wait: true, adopt: false, preset: undefined }
  const metadata = { flags: { version: { setFromDefault: true }, wait: { setFromDefault: false } } }

  expect([...givenFlags(flags, metadata)]).toEqual(['namespace', 'wait', 'adopt'])
})
