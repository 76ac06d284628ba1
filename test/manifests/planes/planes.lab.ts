import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import type { KubeClient } from '../../../src/kube/client/client.ts'
import { openHostCluster } from '../../../src/kube/host/open-host-cluster.ts'
import { objectPathOf } from '../../../src/manifests/manifest.ts'
import {
  namespaceKeeperManifests,
  planeManifests,
} from '../../../src/manifests/render/plane-manifests.ts'
import { processEnvironment } from '../../../src/shared/environment.ts'
import { canRunLab, startLab } from '../../lab/lab.ts'
import { knowServiceMonitors } from '../../support/host/planes/service-monitors.ts'
import { applyPlane } from './applied-plane.ts'
import { podsIn } from './host-pods.ts'
import { manifestInputOf } from '../manifest-input-of.ts'
import { VARIANTS } from '../variants.ts'
import { waitForPlane, waitForPods } from './wait-for-plane.ts'

describe.skipIf(canRunLab() !== undefined)('the objects of a plane', () => {
  test('are valid to a real API server, every field of every variant', async () => {
    await using lab = await startLab()
    const files = [lab.kubeconfigPath]
    await using host = await openHostCluster({ files, environment: processEnvironment() })
    await using namespace = await makeNamespace(host.api)
    await using _monitors = await knowServiceMonitors(lab)

    const objects = Object.values(VARIANTS).flatMap(([user, changes]) => {
      const input = manifestInputOf(withAnyPort(user), { ...changes, namespace: namespace.name })
      return [...planeManifests(input), ...namespaceKeeperManifests(input)]
    })
    const applied = await Promise.all(
      objects.map((object) => host.api.apply(objectPathOf(object), object, { dryRun: true })),
    )

    expect(applied.length).toBeGreaterThan(100)
  })

  test('create a plane in a namespace for restricted pods, without a process that fails', async () => {
    await using lab = await startLab()
    const policy = { rules: [{ level: 'Metadata' }] }
    // It ends when the API is not there within ten seconds: a busy host does not make that.
    const later = 'kube-controller-manager'
    await using plane = await applyPlane(lab, { ephemeral: true, audit: { policy } }, later)
    await waitForPods(plane, 2)

    await plane.apply({})
    await waitForPlane(plane)

    await waitForPods(plane, 3)
    // A probe that a busy machine answers too late has one told to end.
    expect((await podsIn(plane)).flatMap(({ failures }) => failures)).toEqual([])
    const log = await lab.kubectl([
      'logs',
      '-n',
      plane.input.namespace,
      'deployment/vplane-dev-kube-apiserver',
    ])
    expect(log).toContain('"kind":"Event","apiVersion":"audit.k8s.io/v1"')
  })
})

/** A port of the nodes that is named may be taken there. */
function withAnyPort(user: UserSpec): UserSpec {
  return user.expose === undefined
    ? user
    : { ...user, expose: { ...user.expose, nodePort: undefined } }
}

async function makeNamespace(api: KubeClient) {
  const name = `manifests-${randomBytes(4).toString('hex')}`
  const path = `/api/v1/namespaces/${name}`
  await api.apply(path, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  return { name, [Symbol.asyncDispose]: async () => void (await api.delete(path)) }
}
