import { existsSync, readFileSync } from 'node:fs'
import type { Layout } from '../../../control-plane/components/arguments/layout.ts'
import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import type { EtcdConnection } from '../../../etcd/etcd-connection.ts'
import { parseSharedEtcd, type SharedEtcd } from '../../../etcd/shared/shared-etcd.ts'
import { sharedEtcdConnection } from '../../../etcd/shared/shared-etcd-connection.ts'
import { readOwnFile, readOwnSecret } from '../../../shared/files/read-own-file.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'

type PrefixConnection = EtcdConnection & { prefix: string }

/** What a plane has in a shared etcd; undefined if it has another store. */
export function storedSharedEtcd({ sharedEtcd: { facts } }: PlaneFolder): SharedEtcd | undefined {
  return existsSync(facts) ? parseSharedEtcd(readFileSync(facts, 'utf8'), facts) : undefined
}

/** How kube-apiserver reaches a shared etcd; undefined if the plane has another store, or has not been started. */
export function sharedEtcdAccess(folder: PlaneFolder): Layout['apiServer']['sharedEtcd'] {
  const facts = storedSharedEtcd(folder)
  return facts && { caFile: facts.caFile, prefix: facts.prefix, ...credentialFiles(facts, folder) }
}

/** The spec with the prefix of the plane's keys, wherever that is recorded. */
export function withStoredPrefix<Spec extends Pick<PlaneSpec, 'etcd'>>(
  spec: Spec,
  folder: PlaneFolder,
): Spec {
  const facts = storedSharedEtcd(folder)
  return facts === undefined ? spec : { ...spec, etcd: { ...spec.etcd, prefix: facts.prefix } }
}

/** Connects to a shared etcd as the user of a plane. @throws {VplaneError} `UNREACHABLE`, or `FAILED` without a file. */
export async function connectAsPlane(
  facts: SharedEtcd,
  folder: PlaneFolder,
  signal: AbortSignal,
): Promise<PrefixConnection> {
  return connectWith(facts, credentialFiles(facts, folder), signal)
}

/**
 * Connects to a shared etcd as its root user, or as the user of the plane if the owner gives only that.
 * @throws {VplaneError} `UNREACHABLE`, or `FAILED` without a file.
 */
export async function connectAsOwner(
  facts: SharedEtcd,
  folder: PlaneFolder,
  signal: AbortSignal,
): Promise<PrefixConnection> {
  return connectWith(facts, facts.root ?? credentialFiles(facts, folder), signal)
}

async function connectWith(
  { caFile, endpoints, prefix }: SharedEtcd,
  { certificateFile, keyFile }: { certificateFile: string; keyFile: string },
  signal: AbortSignal,
): Promise<PrefixConnection> {
  const credentials = {
    certificateAuthority: await readOwnFile(caFile, 'the CAs of the shared etcd'),
    certificate: await readOwnFile(certificateFile, 'the certificate for the shared etcd'),
    key: await readOwnSecret(keyFile, 'the key for the shared etcd'),
  }
  return { ...(await sharedEtcdConnection(endpoints, credentials, signal)), prefix }
}

function credentialFiles(
  { client }: SharedEtcd,
  { sharedEtcd }: PlaneFolder,
): { certificateFile: string; keyFile: string } {
  const { certificate: certificateFile, key: keyFile } = sharedEtcd
  return client ?? { certificateFile, keyFile }
}
