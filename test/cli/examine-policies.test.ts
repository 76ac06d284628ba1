import { expect, test } from 'vitest'
import { examinePolicies } from '../../src/cli/examine-policies.ts'
import { resolveSpec } from '../../src/control-plane/spec/resolve-spec.ts'
import type { NetworkPolicyEffect } from '../../src/control-plane/status/plane-status.ts'
import { storedPlane } from '../support/driver/some-planes.ts'

const SYNCED = { driver: 'kubernetes', spec: resolveSpec({ sync: {} }, 'kubernetes') } as const

/** What is found with planes of this host, each with the report of its syncer. */
function found(reports: Record<string, NetworkPolicyEffect | undefined>) {
  const planes = Object.keys(reports).map((name) => storedPlane(name, SYNCED))
  const status = async ({ name }: { name: string }) => ({
    phase: 'Ready' as const,
    components: [],
    ...(reports[name] && { networkPolicies: reports[name] }),
  })
  return examinePolicies({ status }, planes, 60_000)
}

test('says what the first syncer found that knows it', async () => {
  expect(await found({ new: undefined, dev: 'enforced' })).toMatchObject({
    level: 'ok',
    message: 'enforced, as plane "dev" found',
  })
  expect(await found({ dev: 'ignored' })).toMatchObject({
    level: 'warning',
    message: expect.stringMatching(/^not enforced, as plane "dev" found/),
    hint: expect.stringContaining('https://kubernetes.io'),
  })
})

test('says that nothing is known without a report', async () => {
  expect(await found({ dev: undefined })).toMatchObject({
    level: 'ok',
    message: expect.stringMatching(/^not known/),
  })
})

test('says that the host did not answer in time', async () => {
  const status = () => new Promise<never>(() => {})

  expect(await examinePolicies({ status }, [storedPlane('dev', SYNCED)], 1)).toEqual({
    subject: 'network policies',
    level: 'warning',
    message: 'not checked: no answer within 0 s',
  })
})
