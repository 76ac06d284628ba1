import { hintTexts } from '../../../../src/cli/catalog/hint-text.ts'
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { diagnose } from '../../../../src/drivers/kubernetes/diagnosis/diagnose.ts'
import { type HostCluster, openHostCluster } from '../../../../src/kube/host/open-host-cluster.ts'
import { processEnvironment } from '../../../../src/shared/environment.ts'
import { waitFor } from '../../../../src/shared/wait.ts'
import { canRunLab, type Lab, startLab } from '../../../lab/lab.ts'
import { type NamespaceKind, PROVOKED, type Provoked, workloadOf } from './provoked.ts'
import { RecordingApi } from './recording.ts'

const KINDS: readonly NamespaceKind[] = ['plain', 'small', 'restricted', 'policed', 'hooked']

/** Set to write what the host has into `fixtures/`, for the unit tests. */
const isRecording = (processEnvironment()['VPLANE_RECORD_FIXTURES'] ?? '') !== ''

describe.skipIf(canRunLab() !== undefined)('on a real host', () => {
  const id = randomBytes(4).toString('hex')
  const namespaceOf = (kind: NamespaceKind) => `diagnosis-${id}-${kind}`
  let lab: Lab
  let host: HostCluster

  beforeAll(async () => {
    lab = await startLab()
    host = await openHostCluster({ files: [lab.kubeconfigPath], environment: {} })
    await lab.kubectl(['apply', '--filename', '-'], listOf(surroundings(namespaceOf)))
    // The policies of the host take a moment.
    await waitForPolicy(lab, namespaceOf('policed'))
    const workloads = PROVOKED.map((one) => workloadOf(one, namespaceOf(one.namespace)))
    await lab.kubectl(['apply', '--filename', '-'], listOf(workloads))
  })
  afterAll(async () => {
    const names = KINDS.map((kind) => `namespace/${namespaceOf(kind)}`)
    const policies = POLICY_TYPES.map((type) => `${type}/${namespaceOf('policed')}`)
    await lab.kubectl(['delete', '--wait=false', ...names, ...policies])
    await host[Symbol.asyncDispose]()
    await lab[Symbol.asyncDispose]()
  })

  test.for(PROVOKED)('says what keeps pods from running: $name', async (provoked) => {
    const { component, final, hint, log = '', name, reason, state } = provoked
    const namespace = namespaceOf(provoked.namespace)
    const api = new RecordingApi(host.api)

    const found = await waitFor(
      async (signal) => {
        api.take(name, namespace)
        const problems = await diagnose({ api, name, namespace, signal, now: new Date() })
        return problems.find((problem) => problem.final === final && reason.test(problem.reason))
      },
      { what: `the problem of "${name}"`, timeoutMs: 150_000, intervalMs: 250 },
    )

    expect(found).toMatchObject({ component, final })
    expect(found.state).toMatch(state)
    expect(hintTexts(found.hints).join('\n')).toMatch(hint)
    expect((found.log ?? []).join('\n')).toContain(log)
    await record(api, provoked, namespace)
  })
})

async function record(api: RecordingApi, { name }: Provoked, namespace: string): Promise<void> {
  if (isRecording) {
    const folder = join(import.meta.dirname, 'fixtures')
    await mkdir(folder, { recursive: true })
    const text = JSON.stringify(api.take(name, namespace), undefined, 2)
    await writeFile(join(folder, `${name}.json`), `${text}\n`)
  }
}

const POLICY_TYPES = [
  'validatingadmissionpolicybinding',
  'validatingadmissionpolicy',
  'validatingwebhookconfiguration',
]

/** Namespaces that refuse pods in their own ways. Cluster-wide policies look at these namespaces alone. */
function surroundings(namespaceOf: (kind: NamespaceKind) => string): object[] {
  const admission = 'admissionregistration.k8s.io/v1'
  const pods = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }
  const metadata = { name: namespaceOf('policed') }
  const only = (kind: NamespaceKind) => ({
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespaceOf(kind) } },
  })
  return [
    ...KINDS.map((kind) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: namespaceOf(kind),
        labels: kind === 'restricted' ? { 'pod-security.kubernetes.io/enforce': kind } : {},
      },
    })),
    {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'small', namespace: namespaceOf('small') },
      spec: { hard: { 'requests.memory': '1Gi', persistentvolumeclaims: '0' } },
    },
    {
      apiVersion: admission,
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: {
        matchConstraints: { resourceRules: [pods] },
        validations: [
          { expression: "'owner' in object.metadata.labels", message: 'pods need the label owner' },
        ],
      },
    },
    {
      apiVersion: admission,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: {
        policyName: metadata.name,
        validationActions: ['Deny'],
        matchResources: only('policed'),
      },
    },
    {
      apiVersion: admission,
      kind: 'ValidatingWebhookConfiguration',
      metadata,
      webhooks: [
        {
          name: 'hook.example.com',
          clientConfig: { url: 'https://127.0.0.1:1/' },
          rules: [pods],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          timeoutSeconds: 2,
          ...only('hooked'),
        },
      ],
    },
  ]
}

async function waitForPolicy(lab: Lab, namespace: string): Promise<void> {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'trial', namespace, labels: { a: 'b' } },
    spec: { containers: [{ name: 'main', image: 'none' }] },
  }
  await waitFor(
    async () =>
      await lab.kubectl(['create', '--dry-run=server', '--filename', '-'], listOf([pod])).then(
        () => false,
        (error: unknown) => String(error).includes('label owner'),
      ),
    { what: 'the policy', timeoutMs: 60_000, intervalMs: 200 },
  )
}

function listOf(items: readonly object[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
}
