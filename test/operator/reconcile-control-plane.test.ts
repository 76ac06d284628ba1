import { expect, test, vi } from 'vitest'
import type { KeeperEvent } from '../../src/keeper/duties/duty.ts'
import { reconcileControlPlane } from '../../src/operator/reconcile-control-plane.ts'
import type { KubeObject } from '../../src/shared/kube/kube-object.ts'
import { worldWithSnapshots, HOSTED } from '../support/driver/world-with-plane.ts'

const { signal } = new AbortController()

test('reports the warnings of a creation as Events of its ControlPlane', async () => {
  const { driver, store, world } = await worldWithSnapshots(HOSTED)
  const { accesses, contexts, drivers, now, openApi, tunnels } = world
  const create = driver.create.bind(driver)
  vi.spyOn(driver, 'create').mockImplementation(async (request, operation) => {
    operation.ui.warn('every role can connect to "open"')
    return create(request, operation)
  })
  const resource: KubeObject = {
    apiVersion: 'vplane.dev/v1beta1',
    kind: 'ControlPlane',
    metadata: {
      name: 'new',
      namespace: 'team-a',
      uid: 'uid-1',
      generation: 1,
      finalizers: ['vplane.dev/control-plane'],
    },
    spec: {},
  }
  const events: Array<KeeperEvent & { of: string }> = []

  await reconcileControlPlane(
    {
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
        patch: () => Promise.resolve(resource),
        replace: () => Promise.resolve(resource),
      },
      snapshotsOf: () => Promise.resolve(store.snapshots),
      report: () => {},
      reportOn: (plane) => (event) => events.push({ of: plane.name, ...event }),
    },
    { resource, memory: {} },
    signal,
  )

  expect(events).toEqual([
    {
      of: 'new',
      level: 'warning',
      reason: 'Warning',
      message: 'every role can connect to "open"',
    },
  ])
})
