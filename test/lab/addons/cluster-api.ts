import { join } from 'node:path'
import { createAuthority } from '../../../src/pki/issue/create-authority.ts'
import { issueCertificate } from '../../../src/pki/issue/issue-certificate.ts'
import { isRecord, textAt } from '../../../src/shared/json-fields.ts'
import { isWholeObject, type KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { parseYamlDocuments } from '../../../src/shared/yaml/yaml.ts'
import { stderrUi } from '../../support/cli/stderr-ui.ts'
import { ensureImage } from '../images/ensure-image.ts'
import { clusterApiRecipe } from '../images/lab-images.ts'
import { labContext } from '../lab-context.ts'
import type { Lab } from '../lab.ts'
import { ensureTool, toolSource } from '../programs/ensure-parts.ts'

const NAMESPACE = 'capi-system'
const WEBHOOKS = `capi-webhook-service.${NAMESPACE}.svc`
const TIMEOUT_MS = 120_000

/** A Cluster that the webhooks accept. */
const PROBE = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name: 'probe', namespace: 'default' },
  spec: { controlPlaneRef: { apiGroup: 'example.com', kind: 'Any', name: 'probe' } },
}

/**
 * Installs Cluster API's core provider in a cluster of the lab by its own manifests: CRDs, webhooks, its controller and
 * the rights of that. Returns when it accepts Clusters. It is gone when it is disposed, with all Clusters.
 */
export async function installClusterApi(lab: Lab): Promise<AsyncDisposable> {
  const context = labContext(stderrUi('lab'), new AbortController().signal)
  const recipe = clusterApiRecipe(await ensureTool('cluster-api', context))
  await lab.loadImage(await ensureImage(recipe, context.folder))
  const folder = join(await toolSource('cluster-api'), 'core/config/default')
  const objects = installable(await lab.kubectl(['kustomize', folder]))
  await using stack = new AsyncDisposableStack()
  stack.defer(async () => {
    const flags = ['--ignore-not-found', '--timeout=120s', '--filename', '-']
    // It may take the API server minutes to delete a definition that is new.
    await lab.kubectl(['delete', '--wait=false', ...flags], listOf(objects.filter(isDefinition)))
    const others = objects.filter((object) => !isDefinition(object))
    await lab.kubectl(['delete', ...flags], listOf(others))
  })
  await lab.kubectl(['apply', '--server-side', '--filename', '-'], listOf(objects))
  const deployment = ['deployment/capi-controller-manager', '--namespace', NAMESPACE]
  await lab.kubectl(['rollout', 'status', ...deployment, '--timeout=120s'])
  await waitFor(() => acceptsClusters(lab), {
    what: 'the webhooks of Cluster API',
    timeoutMs: TIMEOUT_MS,
    intervalMs: 250,
  })
  // While the controller runs, which removes their finalizers.
  stack.defer(async () => {
    await lab.kubectl(['delete', 'clusters', '--all', '--all-namespaces', '--timeout=120s'])
  })
  const owned = stack.move()
  return { [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** The objects of the manifests, with the default of each variable, and without cert-manager. */
function installable(manifests: string): KubeObject[] {
  const text = manifests
    .replaceAll(/\$\{\w+:=([^}]*)\}/g, '$1')
    .replaceAll('imagePullPolicy: Always', 'imagePullPolicy: IfNotPresent')
  const objects = parseYamlDocuments(text, 'Cluster API').filter(isWholeObject)
  const { authority, secret } = servingCertificate()
  return [...objects.filter(({ apiVersion }) => !apiVersion.startsWith('cert-manager.io/')), secret]
    .map((object) => trusting(object, btoa(authority)))
    .filter(isWholeObject)
}

/** The Secret that cert-manager would write. */
function servingCertificate(): { authority: string; secret: KubeObject } {
  const shared = { algorithm: 'ecdsa', now: new Date(), lifetimeMs: 86_400_000 } as const
  const authority = createAuthority({ ...shared, commonName: 'cluster-api' })
  const { certificate, key } = issueCertificate(authority, {
    ...shared,
    commonName: WEBHOOKS,
    usages: ['serverAuth'],
    sans: [WEBHOOKS],
  })
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'capi-webhook-service-cert', namespace: NAMESPACE },
    type: 'kubernetes.io/tls',
    stringData: { 'tls.crt': certificate, 'tls.key': key },
  }
  return { authority: authority.certificate, secret }
}

/** The same with the CA wherever a Service of webhooks is named, as cert-manager injects it. */
function trusting(value: unknown, caBundle: string): unknown {
  if (Array.isArray(value)) {
    return value.map((each) => trusting(each, caBundle))
  }
  if (!isRecord(value)) {
    return value
  }
  const entries = Object.entries(value).map(([key, each]) => [key, trusting(each, caBundle)])
  const calls = textAt(value, 'service', 'name') !== undefined
  return { ...Object.fromEntries(entries), ...(calls ? { caBundle } : {}) }
}

function isDefinition({ kind }: KubeObject): boolean {
  return kind === 'CustomResourceDefinition'
}

async function acceptsClusters({ kubectl }: Lab): Promise<boolean> {
  const asked = kubectl(['create', '--dry-run=server', '--filename', '-'], JSON.stringify(PROBE))
  return await asked.then(
    () => true,
    () => false,
  )
}

function listOf(items: readonly KubeObject[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
}
