import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CredentialSpecs } from '../../control-plane/spec/credentials/credentials-spec.ts'
import { directServers, inClusterServer } from '../../drivers/kubernetes/access/direct-servers.ts'
import { currentSigners } from '../../pki/rotation/current-signers.ts'
import { createKubeClient } from '../../kube/client/client.ts'
import { objectName } from '../../manifests/object-names.ts'
import type { CredentialTrust } from '../duties/credential-dependencies.ts'
import { CredentialSecrets } from '../duties/credential-secrets.ts'
import { isGranted, issueFromPlane } from '../credentials/issue-from-plane.ts'
import { keeperCredential } from './api-servers.ts'
import { PKI_FOLDER, type PodWorld } from './pod-world.ts'

/** The Secrets with credentials for the plane beside which this pod runs. */
export function podCredentials(world: PodWorld, credentials: CredentialSpecs): CredentialSecrets {
  const { host, namespace, now, report, settings } = world
  const { expose, plane: name, planeId: id } = settings
  const place = { name, namespace }
  const openApi = async () =>
    createKubeClient({ server: inClusterServer(place), ...(await keeperCredential(PKI_FOLDER)) })
  return new CredentialSecrets(
    { ...place, id, credentials },
    {
      host,
      account: `the ServiceAccount "${namespace}/${objectName(name, 'keeper')}"`,
      trust: readTrust,
      servers: async (address, signal) =>
        address === 'in-cluster'
          ? [inClusterServer(place)]
          : directServers(host, place, { expose, signal }),
      issue: async ({ entry, spec }, signal) => {
        await using api = await openApi()
        const { certificateAuthority } = await readTrust()
        const options = { entry, plane: name, certificateAuthority, signal }
        return await issueFromPlane(api, spec, options)
      },
      isGranted: async (entry, signal) => {
        await using api = await openApi()
        return await isGranted(api, entry, signal)
      },
      report,
      now,
    },
  )
}

/** Reads the files each time, since rotations replace them, and all of one version of the volume. */
async function readTrust(): Promise<CredentialTrust> {
  const pem = (file: string) => readFile(join(PKI_FOLDER, '..data', file), 'utf8')
  const signingAuthority = await pem('signing-ca.crt')
  const signers = currentSigners({ signingAuthority, publicKeys: await pem('sa.pub') })
  return { certificateAuthority: await pem('ca.crt'), ...signers }
}
