import { expect, test } from 'vitest'
import { installCrds, waitUntilListed } from '../../../src/control-plane/install/install-crds.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { crd, CRDS } from '../../support/api/crd.ts'
import type { MemoryApiHooks } from '../../support/api/memory-api.ts'
import { MemoryApi, refused } from '../../support/api/memory-api.ts'
import { RecordingUi } from '../../support/driver/recording-ui.ts'

const NEVER = new AbortController().signal
const OPTIONS = { signal: NEVER, timeoutMs: 5000 }
const ESTABLISHED = ['NamesAccepted', 'Established'].map((type) => ({ type, status: 'True' }))
const ACCEPTED = { NamesAccepted: 'True', Established: 'True' }

test('returns when every definition is established and served', async () => {
  const api = apiWithController()
  const ui = new RecordingUi()

  const installed = await install(api, [crd('foos'), crd('bars')], { ui })

  expect(installed.map(({ metadata }) => metadata.name)).toEqual([
    'foos.example.com',
    'bars.example.com',
  ])
  expect(api.calls.slice(0, 2)).toEqual([
    `apply ${CRDS}/foos.example.com`,
    `apply ${CRDS}/bars.example.com`,
  ])
  expect(api.calls).toContain('get /apis/example.com/v1')
  expect(ui.steps).toEqual(['Installing 2 custom resource definitions'])
  expect(api.watches).toBe(0)
})

test('waits until it is established', async () => {
  const api = new MemoryApi()
  serve(api, 'foos')
  let isDone = false
  const installing = install(api, [crd('foos')]).then(() => (isDone = true))
  await expect.poll(() => api.watches).toBe(1)

  setConditions(api, 'foos', { NamesAccepted: 'True' })
  setConditions(api, 'bars', ACCEPTED)
  await new Promise((resolve) => setImmediate(resolve))
  expect(isDone).toBe(false)
  setConditions(api, 'foos', ACCEPTED)

  await installing
  expect(isDone).toBe(true)
})

test('waits until discovery lists the resource in every served version', async () => {
  const versions = [
    { name: 'v1', served: true, storage: true },
    { name: 'v2', served: true },
    { name: 'v0', served: false },
  ]
  const api = apiWith(...ESTABLISHED)
  serve(api, 'others', 'v2')
  serve(api, 'foos')
  let isDone = false
  const installing = install(api, [crd('foos', { versions })]).then(() => (isDone = true))
  await expect
    .poll(() => api.calls.filter((call) => call === 'get /apis/example.com/v2').length)
    .toBeGreaterThan(2)
  expect(isDone).toBe(false)

  serve(api, 'foos', 'v2')

  await installing
  expect(api.calls).not.toContain('get /apis/example.com/v0')
  expect(api.calls.filter((call) => call === 'get /apis/example.com/v1')).toHaveLength(1)
})

test('does not watch for definitions that are established already', async () => {
  const api = apiWith(...ESTABLISHED)
  serve(api, 'foos')
  api.watch = () => {
    throw new Error('not expected')
  }

  await install(api, [crd('foos')])
})

test('applies several at once, and no more than eight', async () => {
  let now = 0
  let most = 0
  const api = apiWithController({
    onApply: async (object) => {
      now += 1
      most = Math.max(most, now)
      await new Promise((resolve) => setImmediate(resolve))
      now -= 1
      return object
    },
  })
  expect(await install(api, crdsOf(40))).toHaveLength(40)
  expect(most).toBe(8)
})

test('leaves out what only an API server may write', async () => {
  const applied: KubeObject[] = []
  const api = apiWithController({
    onApply: (object) => {
      applied.push(object)
      return object
    },
  })
  const exported = {
    ...crd('foos'),
    metadata: {
      name: 'foos.example.com',
      labels: { keep: 'me' },
      annotations: { keep: 'me' },
      creationTimestamp: null,
      generation: 3,
      managedFields: [{}],
      resourceVersion: '9',
      uid: 'other',
    },
    status: { conditions: [], storedVersions: ['v9'] },
  }

  await install(api, [exported])

  const metadata = { name: 'foos.example.com', labels: { keep: 'me' }, annotations: { keep: 'me' } }
  expect(applied).toEqual([{ ...crd('foos'), metadata }])
})

test('ends at once with the reason when names are taken', async () => {
  const api = new MemoryApi()
  const installing = install(api, [crd('foos'), crd('bars')])
  const failure = expect(installing).rejects.toMatchObject({
    code: 'FAILED',
    message:
      'custom resource definition "bars.example.com" cannot be served: "BARS" is already in use',
  })
  await expect.poll(() => api.watches).toBe(1)

  setConditions(api, 'bars', { NamesAccepted: 'False' })

  await failure
  expect(api.watches).toBe(0)
})

test('does not report a conflict that is resolved by now', async () => {
  const api = apiWith({ type: 'NamesAccepted', status: 'False', message: 'in use' })
  serve(api, 'foos')
  const installing = install(api, [crd('foos')])
  await expect.poll(() => api.calls).toContain(`get ${CRDS}/foos.example.com`)

  setConditions(api, 'foos', ACCEPTED)

  expect(await installing).toHaveLength(1)
})

test('reports a conflict that stays', async () => {
  const api = apiWith({ type: 'NamesAccepted', status: 'False', message: 'in use' })

  await expect(install(api, [crd('foos')])).rejects.toMatchObject({
    code: 'FAILED',
    message: expect.stringContaining('in use'),
  })
})

test('ends when a definition is deleted meanwhile', async () => {
  const api = new MemoryApi()
  const failure = expect(install(api, [crd('foos')])).rejects.toThrow('it is being deleted')
  await expect.poll(() => api.watches).toBe(1)

  await api.delete(`${CRDS}/foos.example.com`)

  await failure
})

test('gives the reason of an API server that refuses one, and applies no more', async () => {
  const api = apiWithController({
    onApply: (object) => {
      if (object.metadata.name === 'foos3.example.com') {
        throw refused('spec.versions: Required value')
      }
      return object
    },
  })
  await expect(install(api, crdsOf(40))).rejects.toThrow('spec.versions: Required value')
  expect(api.calls.length).toBeLessThan(20)
})

test('names what is not established when the time is up', async () => {
  const api = new MemoryApi()
  const failure = expect(install(api, crdsOf(7), { timeoutMs: 150 })).rejects.toMatchObject({
    code: 'TIMED_OUT',
    message: expect.stringMatching(
      /^gave up waiting for custom resource definitions to be established after 0\.\d s: foos1\.example\.com, .* and 1 more$/,
    ),
  })
  await expect.poll(() => api.watches).toBe(1)

  setConditions(api, 'foos0', ACCEPTED)

  await failure
  expect(api.watches).toBe(0)
})

test('names what is not served when the time is up', async () => {
  const api = apiWith(...ESTABLISHED)

  // On a busy machine, what comes before takes a while too.
  await expect(install(api, [crd('foos')], { timeoutMs: 1000 })).rejects.toMatchObject({
    code: 'TIMED_OUT',
    message: expect.stringMatching(
      /custom resources to be served after [\d.]+ s: example\.com\/v1$/,
    ),
  })
})

test('is interrupted by its signal', async () => {
  const api = new MemoryApi()
  const controller = new AbortController()
  const installing = install(api, [crd('foos')], { signal: controller.signal })
  const failure = expect(installing).rejects.toMatchObject({ code: 'ABORTED' })
  await expect.poll(() => api.watches).toBe(1)

  controller.abort()

  await failure
  expect(api.watches).toBe(0)
})

test.for([
  [{ ...crd('foos'), metadata: {} }, /without a name/],
  [
    { ...crd('foos'), apiVersion: 'apiextensions.k8s.io/v1beta1' },
    /"foos\.example\.com" has the API version apiextensions\.k8s\.io\/v1beta1, which Kubernetes no longer serves; use apiextensions\.k8s\.io\/v1$/,
  ],
] as const)('refuses what cannot be installed before all others: %#', async ([object, message]) => {
  const api = apiWithController()

  await expect(install(api, [crd('bars'), object])).rejects.toMatchObject({
    code: 'INVALID_SPEC',
    message: expect.stringMatching(message),
  })
  expect(api.calls).toEqual([])
})

test('does nothing when there is nothing to install', async () => {
  const api = new MemoryApi()
  const ui = new RecordingUi()

  expect(await install(api, [{ apiVersion: 'v1', kind: 'Pod', metadata: {} }], { ui })).toEqual([])
  expect(api.calls).toEqual([])
  expect(ui.steps).toEqual([])
})

test('asks for each resource until its storage is there', async () => {
  const paths: string[] = []
  const busy = new Map([['/apis/example.com/v1/as', 2]])
  const text = (path: string) => {
    paths.push(path)
    const left = busy.get(path) ?? 0
    busy.set(path, left - 1)
    return Promise.resolve({ status: left > 0 ? 429 : 200, body: '' })
  }

  await waitUntilListed({ text }, [crd('as'), crd('bs')], OPTIONS)

  expect(paths.filter((path) => path === '/apis/example.com/v1/as')).toHaveLength(3)
  expect(paths.filter((path) => path === '/apis/example.com/v1/bs')).toHaveLength(1)
})

test.for([200, 403, 404, 500])('leaves an answer of %d to the next request', async (status) => {
  const text = () => Promise.resolve({ status, body: '' })

  await expect(waitUntilListed({ text }, [crd('as')], OPTIONS)).resolves.toBeUndefined()
})

test('gives up in time, and says what is missing', async () => {
  const text = () => Promise.resolve({ status: 429, body: '' })

  const waiting = waitUntilListed({ text }, [crd('as')], { ...OPTIONS, timeoutMs: 50 })

  await expect(waiting).rejects.toMatchObject({
    code: 'TIMED_OUT',
    message: expect.stringContaining('"as"'),
  })
})

function install(
  api: MemoryApi,
  objects: readonly KubeObject[],
  { signal = NEVER, timeoutMs = 5000, ui = new RecordingUi() } = {},
): Promise<KubeObject[]> {
  return installCrds({ api, ui }, { objects, timeoutMs, signal })
}

/** An API whose controller establishes and serves definitions soon after they are applied. */
function apiWithController(hooks: MemoryApiHooks = {}): MemoryApi {
  const api = new MemoryApi({
    onApply: async (object, path) => {
      const applied = (await hooks.onApply?.(object, path)) ?? object
      const plural = String(object.metadata.name).replace('.example.com', '')
      setTimeout(() => {
        setConditions(api, plural, ACCEPTED)
        serve(api, plural)
      }, 5)
      return applied
    },
  })
  return api
}

/** An API where definitions have these conditions as soon as they are applied. */
function apiWith(...conditions: object[]): MemoryApi {
  return new MemoryApi({ onApply: (object) => ({ ...object, status: { conditions } }) })
}

function crdsOf(count: number): KubeObject[] {
  return Array.from({ length: count }, (_, index) => crd(`foos${index}`))
}

function setConditions(api: MemoryApi, plural: string, conditions: Record<string, string>): void {
  const path = `${CRDS}/${plural}.example.com`
  const message = `"${plural.toUpperCase()}" is already in use`
  const list = Object.entries(conditions).map(([type, status]) => ({ type, status, message }))
  api.put(path, { ...(api.objects.get(path) ?? crd(plural)), status: { conditions: list } })
}

/** Adds a resource to discovery. */
function serve(api: MemoryApi, plural: string, version = 'v1'): void {
  const path = `/apis/example.com/${version}`
  const resources = api.objects.get(path)?.['resources']
  const more = [...(Array.isArray(resources) ? resources : []), { name: plural }]
  api.put(path, { apiVersion: 'v1', kind: 'APIResourceList', metadata: {}, resources: more })
}
