import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { POD_PERMISSIONS } from '../../../src/control-plane/spec/fields/host-spec.ts'
import { knownKubernetesVersions } from '../../../src/control-plane/spec/kubernetes-version.ts'
import { isRecord, recordsAt } from '../../../src/shared/json-fields.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import type { SyncedResource } from '../../../src/syncer/scope/resources.ts'
import type { Decision, FieldDecisions } from '../../../src/syncer/translate/field-decisions.ts'
import { toHostClaim } from '../../../src/syncer/translate/kinds/claim.ts'
import { toHostConfigMap, toHostSecret } from '../../../src/syncer/translate/kinds/config-map.ts'
import { toHostEndpointSlice } from '../../../src/syncer/translate/kinds/endpoint-slice.ts'
import { toHostIngress } from '../../../src/syncer/translate/kinds/ingress.ts'
import { toHostNetworkPolicy } from '../../../src/syncer/translate/kinds/network-policy.ts'
import { toHostPodDisruptionBudget } from '../../../src/syncer/translate/kinds/pod-disruption-budget.ts'
import { toHostService } from '../../../src/syncer/translate/kinds/service.ts'
import {
  toHostEphemeralContainer,
  toHostPod,
} from '../../../src/syncer/translate/pods/to-host-pod.ts'
import { isRefusal } from '../../../src/syncer/translate/refusal.ts'
import { VOLUME_TYPES } from '../../../src/control-plane/spec/fields/policies-spec.ts'
import { refusalOf, SYNCED_FIELDS } from '../../../src/syncer/fields/synced-fields.ts'
import { CONTEXT } from '../translate/pods/some-pods.ts'
import { SCOPE, virtualObject } from '../translate/some-objects.ts'
import { fieldsOfVersion } from './fields-of-version.ts'
import { type FieldType, MARK, merged, sampleOf, sampleValue, valuesAt } from './field-samples.ts'

type Translate = (virtual: KubeObject) => object | undefined

const EVERYTHING = { allow: [...POD_PERMISSIONS], csiDrivers: [MARK, 'csi'] }
const POLICIES = {
  hostnames: [],
  endpoints: [],
  services: { types: [], loadBalancerAddresses: [] },
  tolerations: ['*'],
  volumes: [...VOLUME_TYPES],
}
const PODS = { ...CONTEXT, policy: EVERYTHING, scope: { ...SCOPE, policies: POLICIES } }

/** Each kind with what makes a host object of it. */
const KINDS: Record<string, [SyncedResource, Translate]> = {
  ConfigMap: ['configmaps', (one) => toHostConfigMap(SCOPE, one)],
  EndpointSlice: ['endpointslices', (one) => toHostEndpointSlice(SCOPE, one)],
  Ingress: ['ingresses', (one) => toHostIngress(one, { scope: SCOPE, ingressClasses: new Map() })],
  NetworkPolicy: ['networkpolicies', (one) => toHostNetworkPolicy(one, CONTEXT)],
  PersistentVolumeClaim: [
    'persistentvolumeclaims',
    (one) => toHostClaim(one, { scope: SCOPE, storageClasses: new Map() }),
  ],
  Pod: ['pods', hostPodOf],
  PodDisruptionBudget: ['poddisruptionbudgets', (one) => toHostPodDisruptionBudget(SCOPE, one)],
  Secret: ['secrets', (one) => toHostSecret(SCOPE, one)],
  Service: ['services', (one) => toHostService(SCOPE, one)],
}

const versions = new Map(
  knownKubernetesVersions().map((version) => [version, fieldsOfVersion(version)]),
)

test('knows the fields of each supported version and of no other', () => {
  const files = readdirSync(join(import.meta.dirname, 'openapi'))

  expect(files.toSorted()).toEqual([...versions.keys()].map((one) => `${one}.json`).toSorted())
})

describe.for(Object.entries(KINDS))('%s', ([kind, [resource, translate]]) => {
  const fields = new Map([...versions.values()].flatMap((one) => Object.entries(one[kind] ?? {})))
  const decided = [...fields].map((field) => [field, decisionAt(resource, field[0])] as const)
  const fieldsWith = (isIt: (decision: Decision) => boolean) =>
    decided.flatMap(([field, decision]) =>
      decision !== undefined && isIt(decision) ? [field] : [],
    )

  test('has a decision for each field of each version', () => {
    expect(decided.filter(([, decision]) => decision === undefined)).toEqual([])
  })

  test('has no decision for a field that no version has', () => {
    const known = [...fields.keys()].map((path) => path.replaceAll(/\[\]|\{\}/g, ''))
    const unknown = leavesOf(SYNCED_FIELDS[resource]).filter(
      (path) => !known.some((one) => one === path || one.startsWith(`${path}.`)),
    )

    expect(unknown).toEqual([])
  })

  test.for(fieldsWith((one) => one === 'copy'))('copies %s', (field) => {
    const host = hostOf(field)

    // The host may have more in a list.
    expect(valuesAt(host, field[0]).flat()).toContainEqual([sampleValue(field)].flat()[0])
  })

  const refused = fieldsWith((one) => one.startsWith('refuse: '))
  test.runIf(refused.length > 0).for(refused)('refuses %s', (field) => {
    const refusal = refusalOf(SCOPE, resource, sampled(field))

    expect(refusal?.refusals).toEqual([expect.stringMatching(/ is not possible/)])
  })

  const hidden = fieldsWith((one) => one === 'translate' || one === 'drop').filter(
    ([path]) => !isShown(kind, path),
  )
  test.for(hidden)('shows the host nothing of %s', (field) => {
    const host = JSON.stringify(hostOf(field, { mayRefuse: true }) ?? {})

    expect(host).not.toContain(JSON.stringify(MARK))
    expect(host).not.toContain('4711')
  })

  function sampled(field: FieldType): KubeObject {
    const sample = merged(sampleOf(field), companionsOf(kind, field[0]))
    const { metadata = {}, ...others } = isRecord(sample) ? sample : {}
    return virtualObject(kind, others, isRecord(metadata) ? metadata : {})
  }

  function hostOf(field: FieldType, { mayRefuse = false } = {}): unknown {
    const virtual = sampled(field)
    const made = refusalOf(SCOPE, resource, virtual) ?? translate(virtual)
    if (made !== undefined && isRefusal(made)) {
      expect(mayRefuse ? [] : made.refusals).toEqual([])
      return undefined
    }
    return made !== undefined && 'ingress' in made ? made.ingress : made
  }
})

/** A host pod with its ephemeral containers, which it gets later. */
function hostPodOf(virtual: KubeObject): object {
  const [container] = recordsAt(virtual, 'spec', 'ephemeralContainers')
  if (container !== undefined) {
    const made = toHostEphemeralContainer(virtual, container, PODS)
    return isRefusal(made) ? made : { spec: { ephemeralContainers: [made.container] } }
  }
  const made = toHostPod(virtual, PODS)
  return isRefusal(made) ? made : made.pod
}

/** The decision for a field, or for all below a record that it is in. */
function decisionAt(resource: SyncedResource, path: string): Decision | undefined {
  let found: Decision | FieldDecisions | undefined = SYNCED_FIELDS[resource]
  for (const part of path.replaceAll(/\[\]|\{\}/g, '').split('.')) {
    if (typeof found === 'string') {
      // Of a record that is copied whole, a later field would be copied without a decision.
      return found === 'copy' || found === 'translate' ? undefined : found
    }
    found = found?.[part]
  }
  return typeof found === 'string' ? found : undefined
}

function leavesOf(decisions: FieldDecisions, at = ''): string[] {
  return Object.entries(decisions).flatMap(([field, decision]) => {
    const path = at === '' ? field : `${at}.${field}`
    return typeof decision === 'string' ? [path] : leavesOf(decision, path)
  })
}

/** Fields of which the host sees what the user wrote, although it is not a copy. */
const SHOWN: ReadonlyArray<readonly [kind: RegExp, path: RegExp]> = [
  [/./, /^metadata\.(name|namespace|uid|labels|annotations)/],
  [/./, /[sS]elector\.match/],
  [/^Pod$/, /^spec\.(hostname(Override)?$|nodeName$|nodeSelector)/],
  [/^Pod$/, /serviceAccountToken\.path$/],
  [/^PodDisruptionBudget$/, /^spec\.minAvailable$/],
  [/^Service$/, /^spec\.selector/],
]

function isShown(kind: string, path: string): boolean {
  return SHOWN.some(([kinds, paths]) => kinds.test(kind) && paths.test(path))
}

/** What an object has to have beside a field, so that there is a host object at all. */
function companionsOf(kind: string, path: string): unknown {
  const named = { name: 'own' }
  const inContainer = (fields: object) => {
    const [list] = /(?<=^spec\.)\w+(?=\[\])/.exec(path) ?? []
    return { spec: { [String(list)]: [fields] } }
  }
  const [source] = /\w+KeyRef(?=\.)/.exec(path) ?? []
  const [objects] = /(?<=envFrom\[\]\.)\w+Ref(?=\.)/.exec(path) ?? []
  if (source !== undefined && source !== 'fileKeyRef') {
    return inContainer({ env: [{ name: 'A', valueFrom: { [source]: named } }] })
  }
  return objects === undefined
    ? COMPANIONS.find(([of, pattern]) => of === kind && pattern.test(path))?.[2]
    : inContainer({ envFrom: [{ [objects]: named }] })
}

const volume = (fields: object) => ({ spec: { volumes: [fields] } })
const backend = { service: { name: 'own' } }

const COMPANIONS: ReadonlyArray<readonly [kind: string, path: RegExp, object: object]> = [
  ['EndpointSlice', /./, { metadata: { labels: { 'kubernetes.io/service-name': 'own' } } }],
  ['Ingress', /defaultBackend/, { spec: { defaultBackend: backend } }],
  ['Ingress', /paths/, { spec: { rules: [{ http: { paths: [{ backend }] } }] } }],
  ['PodDisruptionBudget', /./, { spec: { minAvailable: 1 } }],
  ['Pod', /volumes\[\]\.configMap/, volume({ configMap: { name: 'own' } })],
  [
    'Pod',
    /volumes\[\]\.csi/,
    volume({ csi: { driver: 'csi', nodePublishSecretRef: { name: 'own' } } }),
  ],
  [
    'Pod',
    /volumes\[\]\.persistentVolumeClaim/,
    volume({ persistentVolumeClaim: { claimName: 'own' } }),
  ],
  ['Pod', /volumes\[\]\.secret/, volume({ secret: { secretName: 'own' } })],
  [
    'Pod',
    /sources\[\]\.configMap/,
    volume({ projected: { sources: [{ configMap: { name: 'own' } }] } }),
  ],
  ['Pod', /sources\[\]\.secret/, volume({ projected: { sources: [{ secret: { name: 'own' } }] } })],
]
