import { expect, test, vi } from 'vitest'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { adoptControlPlane } from '../../../../src/control-plane/use-cases/declare/adopt-control-plane.ts'
import { HOSTED, worldWithPlane } from '../../../support/driver/world-with-plane.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

const { signal } = new AbortController()
const SHARED: UserSpec = {
  store: {
    etcd: {
      shared: { endpoints: ['https://etcd.test:2379'], root: { credentialsSecret: 'owner' } },
    },
  },
}

test.for([
  ['a plane that cannot be declared', { ...HOSTED, spec: SHARED }, 'INVALID_SPEC'],
  ['a plane of this machine', {}, 'UNSUPPORTED'],
] as const)('declares nothing for %s', async ([, options, code]) => {
  const { world } = await worldWithPlane(options)
  const { accesses, drivers, now, openApi, ui } = world
  const openOperators = vi.fn(() => Promise.reject(new Error('nothing is declared')))

  const adopted = adoptControlPlane(
    { accesses, drivers, now, openApi, openOperators, ui },
    { name: 'dev', timeoutMs: 1000, signal },
  )

  expect(await rejectionOf(adopted)).toMatchObject({ code })
  expect(openOperators).not.toHaveBeenCalled()
})
