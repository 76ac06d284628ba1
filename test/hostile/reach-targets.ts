import type { KubeClient } from '../../src/kube/client/client.ts'
import { httpStatusOf } from '../../src/kube/kube-error.ts'
import { recordsAt, textAt } from '../../src/shared/json-fields.ts'
import type { KubeObject } from '../../src/shared/kube/kube-object.ts'
import { waitFor } from '../../src/shared/wait.ts'
import { pod, serverContainer, service } from '../support/host/planes/workloads.ts'
import type { ProbeTarget } from './probe-pod.ts'

type Plane = Pick<KubeClient, 'create' | 'delete' | 'get' | 'patch' | 'text'>

interface Attempt {
  plane: Plane
  /** Of all objects that the attempt makes, and nothing else has it. */
  name: string
  target: ProbeTarget
  /** Makes an object that goes with the attempt. */
  make: (collection: string, object: object) => Promise<void>
}

const IN_NAMESPACE = '/api/v1/namespaces/default'
const HOOKS = '/apis/admissionregistration.k8s.io/v1'
const CONDITION_MS = 30_000

/** What kube-apiserver says when it could not connect, or refuses to try. */
const UNREACHED =
  /dial tcp .*(refused|timeout|unreachable|no route|prohibited|not permitted)|address not allowed|no endpoints available for service/

/** Ways in which an administrator of a plane makes its kube-apiserver connect to an address, each with what it says then. */
export const WAYS: Readonly<Record<string, (attempt: Attempt) => Promise<string>>> = {
  'the proxy of a node': async (attempt) => {
    const { name, plane, target } = attempt
    await makeNode(attempt)
    return answerAt(plane, `/api/v1/nodes/https:${name}:${target.port}/proxy/`)
  },
  'the proxy of a node that has another port': async (attempt) => {
    const { name, plane, target } = attempt
    await makeNode(attempt, { port: 1 })
    return answerAt(plane, `/api/v1/nodes/https:${name}:${target.port}/proxy/`)
  },
  'the log of a pod': async (attempt) => {
    const { make, name, plane } = attempt
    await makeNode(attempt)
    await make(`${IN_NAMESPACE}/pods`, pod(name, [serverContainer()], { nodeName: name }))
    return answerAt(plane, `${IN_NAMESPACE}/pods/${name}/log`)
  },
  'the proxy of a pod': async (attempt) => {
    const { name, plane, target } = attempt
    await makePod(attempt)
    return answerAt(plane, `${IN_NAMESPACE}/pods/https:${name}:${target.port}/proxy/`)
  },
  'the proxy of a Service': async (attempt) => {
    const { make, name, plane, target } = attempt
    const { host: ip, port } = target
    await makePod(attempt)
    await make(`${IN_NAMESPACE}/services`, service(name, { selector: null, ports: [{ port }] }))
    await make(`${IN_NAMESPACE}/endpoints`, {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name },
      // kube-apiserver uses those of pods alone.
      subsets: [
        {
          addresses: [{ ip, targetRef: { kind: 'Pod', name, namespace: 'default' } }],
          ports: [{ port }],
        },
      ],
    })
    return answerAt(plane, `${IN_NAMESPACE}/services/https:${name}:${port}/proxy/`)
  },
  'a validating webhook': async (attempt) => callWebhook(attempt, 'Validating'),
  'a mutating webhook': async (attempt) => callWebhook(attempt, 'Mutating'),
  'an aggregated API': async (attempt) => {
    const { make, name, plane, target } = attempt
    const group = `${name}.example.com`
    const path = `/apis/apiregistration.k8s.io/v1/apiservices/v1.${group}`
    const spec = { type: 'ExternalName', externalName: target.host, selector: null }
    await make(`${IN_NAMESPACE}/services`, service(name, { ...spec, ports: [{ port: 443 }] }))
    await make('/apis/apiregistration.k8s.io/v1/apiservices', {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `v1.${group}` },
      spec: {
        service: { name, namespace: 'default', port: target.port },
        group,
        version: 'v1',
        groupPriorityMinimum: 1,
        versionPriority: 1,
        insecureSkipTLSVerify: true,
      },
    })
    const look = async () => {
      const [condition] = recordsAt(await plane.get(path), 'status', 'conditions')
      const isKnown =
        condition?.['reason'] === 'FailedDiscoveryCheck' || condition?.['status'] === 'True'
      return isKnown && `: ${textAt(condition, 'message')}`
    }
    return waitFor(look, { what: `a look at ${target.name} as an API`, timeoutMs: CONDITION_MS })
  },
}

/** What kube-apiserver said if it reached a target; undefined if it did not. */
export async function reachedBy(
  way: string,
  { name, plane, target }: Omit<Attempt, 'make'>,
): Promise<string | undefined> {
  await using made = new AsyncDisposableStack()
  const make = async (collection: string, object: object) => {
    const { metadata, ...others }: KubeObject = {
      metadata: {},
      apiVersion: '',
      kind: '',
      ...object,
    }
    await plane.create(collection, { ...others, metadata })
    made.defer(async () => {
      await plane.delete(`${collection}/${metadata.name}`, { graceSeconds: 0 })
    })
  }
  const answer = await unlessRefused(WAYS[way]?.({ name, plane, target, make }))
  return answer === undefined || UNREACHED.test(answer) ? undefined : answer
}

/** The answer, or undefined when the plane does not take an object with the address. */
async function unlessRefused(attempt: Promise<string> | undefined): Promise<string | undefined> {
  try {
    return await attempt
  } catch (error) {
    if (httpStatusOf(error) === 422) {
      return undefined
    }
    throw error
  }
}

async function answerAt(plane: Plane, path: string): Promise<string> {
  const { body, status } = await plane.text(path)
  return `${status} ${body}`
}

/** A node whose kubelet is at the target. */
async function makeNode(
  { make, name, target }: Attempt,
  { port } = { port: target.port },
): Promise<void> {
  const addresses = ['Hostname', 'InternalIP', 'ExternalIP'].map((type) => ({
    type,
    address: target.host,
  }))
  await make('/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    spec: { providerID: `vplane://${target.host}` },
    status: { addresses, daemonEndpoints: { kubeletEndpoint: { Port: port } } },
  })
}

/** A pod that never runs, and says that it is at the target. */
async function makePod({ make, name, plane, target }: Attempt): Promise<void> {
  const spec = { schedulingGates: [{ name: 'vplane.dev/never' }] }
  await make(`${IN_NAMESPACE}/pods`, pod(name, [serverContainer()], spec))
  const status = { podIP: target.host, podIPs: [{ ip: target.host }] }
  await plane.patch(`${IN_NAMESPACE}/pods/${name}/status`, { status }, { type: 'merge' })
}

/** A webhook that blocks nothing but the one object that asks it. */
async function callWebhook(
  { make, name, plane, target }: Attempt,
  kind: 'Mutating' | 'Validating',
): Promise<string> {
  const url = `https://${target.host}:${target.port}/`
  const labels = { asks: name }
  await make(`${HOOKS}/${kind.toLowerCase()}webhookconfigurations`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name },
    webhooks: [
      {
        name: 'own.example.com',
        clientConfig: { url },
        objectSelector: { matchLabels: labels },
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE'],
            resources: ['configmaps'],
          },
        ],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 3,
      },
    ],
  })
  const asking = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels } }
  // kube-apiserver knows a new webhook a moment later.
  const ask = async () => {
    try {
      await plane.create(`${IN_NAMESPACE}/configmaps`, asking, { dryRun: true })
      return false
    } catch (error) {
      if (httpStatusOf(error) === undefined) {
        throw error
      }
      return String(error)
    }
  }
  return waitFor(ask, { what: `${target.name} to be asked as a webhook`, timeoutMs: CONDITION_MS })
}
