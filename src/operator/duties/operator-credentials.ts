import { KEEPER, type Plane } from '../../control-plane/plane/plane.ts'
import type { CredentialSpecs } from '../../control-plane/spec/credentials/credentials-spec.ts'
import {
  directServers,
  inClusterServer,
  serverReads,
} from '../../drivers/kubernetes/access/direct-servers.ts'
import { readLimit } from '../../drivers/kubernetes/host/host-api.ts'
import { readKeys } from '../../drivers/kubernetes/objects/plane-keys.ts'
import { isGranted, issueFromPlane } from '../../keeper/credentials/issue-from-plane.ts'
import type { CredentialTrust, ForeignSecret } from '../../keeper/duties/credential-dependencies.ts'
import { CredentialSecrets } from '../../keeper/duties/credential-secrets.ts'
import type { DriverWorld } from '../../keeper/duties/driver-duties.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { KEEPER_NAME } from '../../manifests/object-names.ts'
import { LEAF_LIFETIME_MS } from '../../pki/issue/lifetimes.ts'
import { currentSigners } from '../../pki/rotation/current-signers.ts'
import { fieldAt } from '../../shared/json-fields.ts'

export interface DeclaredCredentials {
  name: string
  namespace: string
  id: string
  credentials: CredentialSpecs
}

/** The Secrets with credentials for a declared plane. */
export function operatorCredentials(
  { host, reads }: { host: KubeClient; reads: Pick<KubeClient, 'get' | 'list'> },
  plane: DeclaredCredentials,
  { driver, find, now, openApi, report }: DriverWorld,
): CredentialSecrets {
  const { name, namespace } = plane
  const place = { name, namespace }
  const account = `system:serviceaccount:${namespace}:${KEEPER_NAME}`
  const open = async (found: Plane) => {
    const credential = await driver.issueCredential(found, KEEPER, LEAF_LIFETIME_MS)
    return openApi({ ...(await driver.endpoint(found)), ...credential })
  }
  const trust = async (): Promise<CredentialTrust> => {
    const files = await readKeys(reads, place, readLimit())
    const pem = (file: string) => files[file] ?? ''
    const signers = currentSigners({
      signingAuthority: pem('signing-ca.crt'),
      publicKeys: pem('sa.pub'),
    })
    return { certificateAuthority: pem('ca.crt'), ...signers }
  }
  return new CredentialSecrets(plane, {
    host,
    account: `"${account}"`,
    trust,
    servers: async (address, signal) => {
      const { expose } = (await find()).spec.host ?? {}
      return address === 'in-cluster'
        ? [inClusterServer(place)]
        : directServers(expose, serverReads(reads, place, signal))
    },
    issue: async ({ entry, spec }, signal) => {
      await using api = await open(await find())
      const { certificateAuthority } = await trust()
      return await issueFromPlane(api, spec, { entry, plane: name, certificateAuthority, signal })
    },
    isGranted: async (entry, signal) => {
      await using api = await open(await find())
      return await isGranted(api, entry, signal)
    },
    isPermitted: (secret, signal) => isPermitted(host, { account, secret }, signal),
    report,
    now,
  })
}

/** Whether a namespace permits a Secret to the plane: to the account that its keeper would have. */
async function isPermitted(
  host: Pick<KubeClient, 'create'>,
  { account, secret: { name, namespace, verb } }: { account: string; secret: ForeignSecret },
  signal: AbortSignal,
): Promise<boolean> {
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'LocalSubjectAccessReview',
    metadata: { namespace },
    spec: {
      user: account,
      groups: ['system:serviceaccounts', 'system:authenticated'],
      resourceAttributes: { namespace, verb, resource: 'secrets', name },
    },
  }
  const path = `/apis/authorization.k8s.io/v1/namespaces/${namespace}/localsubjectaccessreviews`
  return fieldAt(await host.create(path, review, { signal }), 'status', 'allowed') === true
}
