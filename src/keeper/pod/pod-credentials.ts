import type { CredentialSpecs } from '../../control-plane/spec/credentials/credentials-spec.ts'
import {
  directServers,
  serverReads,
  inClusterServer,
  ungatedServer,
} from '../../drivers/kubernetes/access/direct-servers.ts'
import { currentSigners } from '../../pki/rotation/current-signers.ts'
import { createKubeClient } from '../../kube/client/client.ts'
import { KEEPER_NAME } from '../../manifests/object-names.ts'
import type { CredentialTrust } from '../duties/credential-dependencies.ts'
import { CredentialSecrets } from '../duties/credential-secrets.ts'
import { isGranted, issueFromPlane } from '../credentials/issue-from-plane.ts'
import { keeperCredential } from './api-servers.ts'
import { fileIn, type PodFiles, type PodWorld } from './pod-world.ts'

/** The Secrets with credentials for a plane. */
export function podCredentials(world: PodWorld, credentials: CredentialSpecs): CredentialSecrets {
  const { files, host, namespace, now, report, settings } = world
  const { expose, id, name } = settings
  const place = { name, namespace }
  const openApi = async () =>
    createKubeClient({ server: ungatedServer(place), ...keeperCredential(await files()) })
  return new CredentialSecrets(
    { ...place, id, credentials },
    {
      host,
      account: `the ServiceAccount "${namespace}/${KEEPER_NAME}"`,
      trust: async () => trustIn(await files()),
      servers: async (address, signal) =>
        address === 'in-cluster'
          ? [inClusterServer(place)]
          : directServers(expose, serverReads(host, place, signal)),
      issue: async ({ entry, spec }, signal) => {
        await using api = await openApi()
        const { certificateAuthority } = trustIn(await files())
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

function trustIn(files: PodFiles): CredentialTrust {
  const signers = currentSigners({
    signingAuthority: fileIn(files, 'signing-ca.crt'),
    publicKeys: fileIn(files, 'sa.pub'),
  })
  return { certificateAuthority: fileIn(files, 'ca.crt'), ...signers }
}
