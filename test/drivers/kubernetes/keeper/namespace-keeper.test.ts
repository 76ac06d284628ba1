import { expect, test } from 'vitest'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { endKeeper } from '../../../../src/drivers/kubernetes/keeper/end-keeper.ts'
import { raiseKeeper } from '../../../../src/drivers/kubernetes/keeper/raise-keeper.ts'
import { restKeeper } from '../../../../src/drivers/kubernetes/keeper/rest-keeper.ts'
import { setKept } from '../../../../src/drivers/kubernetes/workloads/set-kept.ts'
import { type Manifest, objectPathOf } from '../../../../src/manifests/manifest.ts'
import { KEPT_LABEL } from '../../../../src/manifests/object-names.ts'
import {
  namespaceKeeperManifests,
  planeManifests,
} from '../../../../src/manifests/render/plane-manifests.ts'
import { MemoryHostApi, type MemoryRequest } from '../../../support/api/memory-host-api.ts'
import { manifestInputOf } from '../../../manifests/manifest-input-of.ts'

const NAMESPACE = 'team-a'
const DEPLOYMENT = '/apis/apps/v1/namespaces/team-a/deployments/vplane-keeper'
const IDLE: UserSpec = { idle: '1h' }
const MONITORED: UserSpec = { ...IDLE, metrics: { serviceMonitor: true } }
const { signal } = new AbortController()

test('runs while a plane needs it, and is scaled to 0 with the last one', async () => {
  const host = new Host()
  await host.keep('a')
  await host.keep('b')

  await host.rest('a')
  expect(host.replicas()).toBe(1)
  await host.rest('b')
  expect(host.replicas()).toBe(0)
  await host.keep('a')
  expect(host.replicas()).toBe(1)
})

test('is deleted with the settings of the last plane, and not before', async () => {
  const host = new Host()
  await host.keep('a')
  await host.keep('b')
  await host.rest('b')

  await host.end('a')
  expect(host.replicas()).toBe(0)
  await host.end('b')
  expect(host.shared()).toEqual([])
})

test('is scraped while a plane is monitored', async () => {
  const host = new Host()
  await host.keep('a', MONITORED)
  await host.keep('b')
  const monitored = host.shared()
  await host.end('a')

  const monitors = monitored.filter((path) => !host.shared().includes(path))
  expect(monitors.map((path) => path.split('/').at(-2))).toEqual(['services', 'servicemonitors'])
})

test('ends for one plane while the settings of another cannot be read, which may need all of it', async () => {
  const host = new Host()
  await host.keep('a', MONITORED)
  await host.keep('damaged')
  const before = host.shared()
  host.damage('damaged')

  await host.end('a')
  expect(host.shared()).toEqual(before)
  await host.end('damaged')
  expect(host.shared()).toEqual([])
})

test('keeps the settings for pods of the plane that was applied last', async () => {
  const host = new Host()
  await host.keep('a', { ...IDLE, keeper: { image: 'a.test/node' } })
  await host.keep('b', { ...IDLE, keeper: { image: 'b.test/node' } })
  await host.raise('a', { isApplied: false })
  expect(host.text()).toContain('b.test/node')

  await host.raise('a', { isApplied: true })
  expect(host.text()).toContain('a.test/node')
})

test.for([
  { version: '0.0.1', isReplaced: true },
  { version: '99.0.0', isReplaced: false },
])('runs as the newest vplane has made it: $version', async ({ isReplaced, version }) => {
  const host = new Host()
  await host.keep('a')
  const found = host.api.objects.get(DEPLOYMENT)
  const annotations = { ...found?.metadata.annotations, 'vplane.dev/version': version }
  host.api.put(DEPLOYMENT, {
    ...found,
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...found?.metadata, annotations },
    spec: { replicas: 0, isOther: true },
  })

  await host.raise('a', { isApplied: !isReplaced })

  expect(host.replicas()).toBe(1)
  expect(host.text().includes(version)).toBe(!isReplaced)
})

// Each request of the one command comes right after all of the other: the keeper must run in the end.
test.for(['rest', 'end'] as const)(
  'stays for a plane that comes while another one: %s',
  async (what) => {
    for (let at = 1; ; at += 1) {
      const host = new Host()
      await host.keep('a')
      const wasCut = await host.during(
        at,
        () => host[what]('a'),
        () => host.keep('b'),
      )

      expect([at, host.replicas(), host.shared().length]).toEqual([at, 1, host.all().length])
      if (!wasCut) {
        return
      }
    }
  },
)

/** A namespace with planes. */
class Host {
  readonly api = new MemoryHostApi({ onRequest: (request) => this.#onRequest(request) })
  readonly #specs = new Map<string, UserSpec>()
  #cut: { left: number; work: () => Promise<void> } | undefined

  /** Writes the settings of a plane, as a create and a start do, and has the keeper run. */
  async keep(name: string, userSpec: UserSpec = IDLE): Promise<void> {
    this.#specs.set(name, userSpec)
    const objects = planeManifests(this.#inputOf(name))
    for (const object of objects.filter(({ metadata }) => metadata.labels[KEPT_LABEL])) {
      await this.api.apply(objectPathOf(object), object)
    }
    await this.raise(name, { isApplied: true })
  }

  raise(name: string, options: { isApplied: boolean }): Promise<void> {
    const objects = () => namespaceKeeperManifests(this.#inputOf(name))
    return raiseKeeper(this.api, NAMESPACE, { objects, signal, ...options })
  }

  damage(name: string): void {
    const path = `/api/v1/namespaces/team-a/configmaps/vplane-${name}-keeper-settings`
    const settings = this.api.objects.get(path)
    expect.assert(settings !== undefined)
    this.api.put(path, { ...settings, data: {} })
  }

  async rest(name: string): Promise<void> {
    await setKept(this.api, { name, namespace: NAMESPACE }, { kept: 'false', signal })
    await restKeeper(this.api, NAMESPACE, signal)
  }

  async end(name: string): Promise<void> {
    await this.api.delete(`/api/v1/namespaces/team-a/configmaps/vplane-${name}-keeper-settings`)
    await endKeeper(this.api, NAMESPACE, signal)
  }

  /** Does other work before a request of the first one, and returns whether there was such a request. */
  async during(
    at: number,
    first: () => Promise<void>,
    work: () => Promise<void>,
  ): Promise<boolean> {
    this.#cut = { left: at, work }
    await first()
    const wasCut = this.#cut === undefined
    await this.#cut?.work()
    this.#cut = undefined
    return wasCut
  }

  replicas(): unknown {
    return Object(this.api.objects.get(DEPLOYMENT)?.['spec']).replicas
  }

  text(): string {
    return JSON.stringify(this.api.objects.get(DEPLOYMENT))
  }

  /** The paths of the keeper's objects. */
  shared(): string[] {
    return [...this.api.objects.keys()].filter((path) => path.endsWith('/vplane-keeper'))
  }

  all(): Manifest[] {
    return namespaceKeeperManifests(this.#inputOf('b'))
  }

  #inputOf(name: string) {
    return manifestInputOf(this.#specs.get(name), { name, namespace: NAMESPACE })
  }

  async #onRequest(_request: MemoryRequest): Promise<void> {
    const cut = this.#cut
    if (cut !== undefined && (cut.left -= 1) === 0) {
      this.#cut = undefined
      await cut.work()
    }
  }
}
