import { expect, test, vi } from 'vitest'
import type { CredentialState } from '../../src/control-plane/driver/plane-credentials.ts'
import { resolveCredentials } from '../../src/control-plane/spec/credentials/credentials-spec.ts'
import type { KeeperEvent } from '../../src/keeper/duties/duty.ts'
import {
  type Memory,
  reconcileControlPlane,
  type ReconcileDependencies,
} from '../../src/operator/reconcile-control-plane.ts'
import type { KubeObject } from '../../src/shared/kube/kube-object.ts'
import { worldWithSnapshots, HOSTED } from '../support/driver/world-with-plane.ts'

const { signal } = new AbortController()

test('reports the warnings of a creation as Events of its ControlPlane', async () => {
  const { dependencies, driver, events } = await operated()
  const create = driver.create.bind(driver)
  vi.spyOn(driver, 'create').mockImplementation(async (request, operation) => {
    operation.ui.warn('every role can connect to "open"')
    return create(request, operation)
  })

  await reconcileControlPlane(dependencies, { resource: resourceOf('new'), memory: {} }, signal)

  expect(events).toEqual([
    {
      of: 'new',
      level: 'warning',
      reason: 'Warning',
      message: 'every role can connect to "open"',
    },
  ])
})

test.for<[string, CredentialState, boolean]>([
  ['is not written yet', { isWritten: false }, true],
  ['cannot be read', {}, true],
  ['cannot be written', { isWritten: false, failure: 'another Secret has its name' }, false],
  ['is written', { isWritten: true }, false],
])(
  'whether it soon looks again at a plane with a credential that %s',
  async ([, state, isSoon]) => {
    const { dependencies, driver, plane } = await operated()
    const credentials = resolveCredentials({ flux: { user: 'flux' } })
    expect.assert(credentials !== undefined)
    const spec = { ...plane.spec, credentials }
    driver.inside(plane).stored = { ...plane, spec, declaredBy: 'uid-1' }
    driver.credentials = {
      state: async () => state,
      outdated: async () => [],
      grant: async () => [],
    }
    const memory: Memory = { settled: { generation: 1, at: dependencies.now() } }

    await reconcileControlPlane(dependencies, { resource: resourceOf('dev'), memory }, signal)

    expect(memory.isWaiting).toBe(isSoon)
  },
)

/** An operator of a host with the plane `dev`. */
async function operated() {
  const { driver, plane, store, world } = await worldWithSnapshots(HOSTED)
  const { accesses, contexts, drivers, now, openApi, tunnels } = world
  const events: Array<KeeperEvent & { of: string }> = []
  const dependencies: ReconcileDependencies = {
    accesses,
    contexts,
    driver,
    drivers,
    now,
    openApi,
    tunnels,
    timeoutMs: 1000,
    host: {
      get: () => Promise.resolve(undefined),
      patch: () => Promise.resolve(resourceOf('dev')),
      replace: () => Promise.resolve(resourceOf('dev')),
    },
    snapshotsOf: () => Promise.resolve(store.snapshots),
    report: () => {},
    reportOn: (declared) => (event) => events.push({ of: declared.name, ...event }),
  }
  return { dependencies, driver, events, plane }
}

function resourceOf(name: string): KubeObject {
  return {
    apiVersion: 'vplane.dev/v1beta1',
    kind: 'ControlPlane',
    metadata: {
      name,
      namespace: 'default',
      uid: 'uid-1',
      generation: 1,
      finalizers: ['vplane.dev/control-plane'],
    },
    spec: {},
  }
}
