import { randomBytes, randomUUID } from 'node:crypto'
import {
  ENCRYPTION_FILE,
  encryptionConfiguration,
  encryptionKey,
} from '../../../src/control-plane/components/encryption-configuration.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { ComponentName } from '../../../src/control-plane/plane/plane.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import { podDialer } from '../../../src/drivers/kubernetes/dial/pod-dialer.ts'
import { createKubeClient, type KubeClient } from '../../../src/kube/client/client.ts'
import { type HostCluster, openHostCluster } from '../../../src/kube/host/open-host-cluster.ts'
import { objectPathOf } from '../../../src/manifests/manifest.ts'
import { COMPONENT_LABEL } from '../../../src/manifests/object-names.ts'
import type { ManifestInput } from '../../../src/manifests/templates/manifest-input.ts'
import { planeManifests } from '../../../src/manifests/render/plane-manifests.ts'
import { endpointNames, storeNames } from '../../../src/manifests/server-names.ts'
import { createEtcdPki } from '../../../src/pki/plane/etcd-pki.ts'
import { issueCertificate } from '../../../src/pki/issue/issue-certificate.ts'
import { createPlanePki } from '../../../src/pki/plane/plane-pki.ts'
import { apiServerSans } from '../../../src/pki/plane/server-sans.ts'
import { listenTunnel } from '../../../src/tunnel/connections/listen-tunnel.ts'
import { processEnvironment } from '../../../src/shared/environment.ts'
import type { Lab } from '../../lab/lab.ts'

/** A plane whose objects were applied to a host, by nothing but its manifests. */
export interface AppliedPlane extends AsyncDisposable {
  host: HostCluster
  input: ManifestInput
  /** The plane's own API, as its administrator. */
  api: KubeClient
  /** Applies the objects again, as they are after a change. */
  apply: (changes: Partial<ManifestInput>) => Promise<void>
}

/**
 * Makes a namespace that admits restricted pods alone, and applies the objects of a plane in it, but those of a component
 * that is to come later.
 */
export async function applyPlane(
  lab: Lab,
  user: UserSpec,
  without?: ComponentName,
): Promise<AppliedPlane> {
  await using made = new AsyncDisposableStack()
  const files = [lab.kubeconfigPath]
  const host = made.use(await openHostCluster({ files, environment: processEnvironment() }))
  const input = await newInput(`manifests-${randomBytes(4).toString('hex')}`, user)
  const { name, namespace } = input
  const path = `/api/v1/namespaces/${namespace}`
  made.defer(() => host.api.delete(path).then(() => undefined))
  await host.api.apply(path, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  })
  const apply = async (changes: Partial<ManifestInput>, later?: ComponentName) => {
    const objects = planeManifests({ ...input, ...changes }).filter(
      ({ metadata }) => later === undefined || metadata.labels[COMPONENT_LABEL] !== later,
    )
    await Promise.all(objects.map((object) => host.api.apply(objectPathOf(object), object)))
  }
  await apply({}, without)
  const dial = podDialer({
    api: host.api,
    forward: (target, options) => host.forward(target, options),
    name,
    namespace,
  })
  const tunnel = made.use(await listenTunnel({ port: 0, dial }))
  const api = made.use(createKubeClient(connectionOf(input, tunnel.port)))
  const owned = made.move()
  return { host, input, api, apply, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

async function newInput(namespace: string, user: UserSpec): Promise<ManifestInput> {
  const place = { name: 'dev', namespace }
  const spec = resolveSpec(user, 'kubernetes')
  const extraSans = endpointNames(place, spec)
  const options = { algorithm: spec.pki.algorithm, now: new Date() }
  const files = {
    ...createEtcdPki({ ...options, memberSans: storeNames(place, spec) }),
    ...(await createPlanePki({ ...options, serverSans: apiServerSans({ ...spec, extraSans }) })),
    [ENCRYPTION_FILE]: encryptionConfiguration([encryptionKey(randomBytes(32))]),
  }
  return { ...place, id: randomUUID(), spec, files, initialState: 'new', desired: 'running' }
}

function connectionOf({ files, spec }: ManifestInput, port: number) {
  const authority = { certificate: files['ca.crt'] ?? '', key: files['ca.key'] ?? '' }
  const { certificate, key } = issueCertificate(authority, {
    commonName: 'administrator',
    organizations: ['system:masters'],
    usages: ['clientAuth'],
    lifetimeMs: 3_600_000,
    algorithm: spec.pki.algorithm,
    now: new Date(),
  })
  const server = `https://127.0.0.1:${port}`
  return { server, certificateAuthority: authority.certificate, certificate, key }
}
