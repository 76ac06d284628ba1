import { expect, test } from 'vitest'
import { installWebhooks } from '../../../src/control-plane/install/install-webhooks.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { webhookConfiguration } from '../../support/api/crd.ts'
import { MemoryApi, refused } from '../../support/api/memory-api.ts'

const REGISTRATION = '/apis/admissionregistration.k8s.io/v1'
const TARGET = { host: '127.0.0.1', port: 9443, certificateAuthority: 'PEM' }
const SERVICE = { service: { namespace: 'a', name: 'b', path: '/x' } }
const VALIDATING = webhookConfiguration('ValidatingWebhookConfiguration', 'checks', [SERVICE])
const MUTATING = webhookConfiguration('MutatingWebhookConfiguration', 'changes', [SERVICE])
const NOTICED =
  'limitranges "x" is forbidden: expression \'object.spec.canary == "noticed"\' resulted in error: no such key: canary'

test.for([
  [[VALIDATING], ['validatingwebhookconfigurations/checks']],
  [[MUTATING], ['mutatingwebhookconfigurations/changes']],
  [
    [VALIDATING, MUTATING],
    ['validatingwebhookconfigurations/checks', 'mutatingwebhookconfigurations/changes'],
  ],
] as const)('installs configurations turned to the target alone: %#', async ([objects, paths]) => {
  const api = apiThatRefuses(NOTICED)

  const installed = await install(api, objects)

  expect([...api.objects.keys()]).toEqual(paths.map((path) => `${REGISTRATION}/${path}`))
  expect(installed.map(({ metadata }) => metadata.name)).toEqual(
    objects.map(({ metadata }) => metadata.name),
  )
  for (const object of api.objects.values()) {
    expect(object).toMatchObject({
      webhooks: [{ clientConfig: { url: 'https://127.0.0.1:9443/x' } }],
    })
  }
})

test('returns only when the API server minds what was placed after the configurations', async () => {
  let tries = 0
  const api = new MemoryApi({
    onCreate: () => {
      tries += 1
      if (tries > 3) {
        throw refused(NOTICED)
      }
    },
  })

  await install(api, [VALIDATING])

  const words = api.calls.map((call) => call.replace(/0-canary-[\w-]+/, 'canary'))
  expect(words).toEqual([
    `apply ${REGISTRATION}/validatingwebhookconfigurations/checks`,
    `apply ${REGISTRATION}/validatingwebhookconfigurations/canary.vplane.dev`,
    ...Array.from({ length: 4 }, () => 'create /api/v1/namespaces/default/limitranges'),
    `delete ${REGISTRATION}/validatingwebhookconfigurations/canary.vplane.dev`,
  ])
  expect(api.objects.size).toBe(1)
})

test('places a canary that minds its own object only', async () => {
  const canaries: KubeObject[] = []
  const probes: KubeObject[] = []
  const api = new MemoryApi({
    onApply: (object) => {
      canaries.push(object)
      return object
    },
    onCreate: (object) => {
      probes.push(object)
      throw refused(NOTICED)
    },
  })

  await install(api, [VALIDATING])

  expect(canaries[1]).toMatchObject({
    webhooks: [
      {
        failurePolicy: 'Fail',
        objectSelector: { matchLabels: probes[0]?.metadata.labels },
        matchConditions: [{ expression: 'object.spec.canary == "noticed"' }],
      },
    ],
  })
  expect(Object.values(probes[0]?.metadata.labels ?? {})[0]).toMatch(/^[\da-f-]{36}$/)
})

test('takes the refusal of another webhook as a sign that more cannot be seen', async () => {
  const api = apiThatRefuses(
    'Internal error occurred: failed calling webhook "all.example.com": refused',
  )

  expect(await install(api, [MUTATING])).toHaveLength(1)
})

test('throws any other failure, and removes the canary', async () => {
  const api = apiThatRefuses('namespaces "default" not found')

  await expect(install(api, [MUTATING])).rejects.toThrow('namespaces "default" not found')
  expect([...api.objects.keys()]).toEqual([`${REGISTRATION}/mutatingwebhookconfigurations/changes`])
})

test('gives up in time, and removes the canary', async () => {
  const api = new MemoryApi()

  await expect(install(api, [VALIDATING], 100)).rejects.toMatchObject({
    code: 'TIMED_OUT',
    message: 'gave up waiting for the API server to use the webhooks after 0.1 s',
  })
  expect(api.objects.size).toBe(1)
})

test('leaves objects of other kinds alone', async () => {
  const api = new MemoryApi()
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'x' } }

  expect(await install(api, [service])).toEqual([])
  expect(api.calls).toEqual([])
})

function install(
  api: MemoryApi,
  objects: readonly KubeObject[],
  timeoutMs = 5000,
): Promise<KubeObject[]> {
  const { signal } = new AbortController()
  return installWebhooks(api, { objects, target: TARGET, timeoutMs, signal })
}

/** An API that creates nothing, and says why. */
function apiThatRefuses(message: string): MemoryApi {
  return new MemoryApi({
    onCreate: () => {
      throw refused(message)
    },
  })
}
