import { expect, test } from 'vitest'
import { printKubeconfig } from '../../../src/cli/output/print-kubeconfig.ts'
import type { GrantRequest } from '../../../src/control-plane/use-cases/connect/grant-access.ts'
import { HOSTED, worldWithPlane } from '../../support/driver/world-with-plane.ts'

const { signal } = new AbortController()
const DEV = { name: 'dev', embedCredentials: false, timeoutMs: 2000, signal }
const ALICE: GrantRequest = { subject: { user: 'alice', groups: [] }, lifetimeMs: 60_000 }

test.for([
  ['a user of this machine', undefined, 'https://127.0.0.1:20443', 0],
  ['someone else', ALICE, 'https://127.0.0.1:20443', 1],
  ['someone else at an address', ALICE, 'https://dev.example.com', 0],
] as const)('notes where a kubeconfig works that is for %s', async ([, grant, server, notes]) => {
  const { inside, world } = await worldWithPlane(HOSTED)
  inside.server = server

  const printed = await printKubeconfig(world, { ...DEV, grant }, { isJson: true })

  expect(printed.kind).toBe('Config')
  expect(world.ui.notes).toEqual(
    Array(notes).fill(`${server} works on this machine only; --server sets another address.`),
  )
})
