import type { PlaneSpec } from '../../spec/spec.ts'
import { databaseOf } from '../../store/store.ts'
import type { Layout } from './layout.ts'

/** The flag by which a process is recognized as the kine of a plane: a path in the plane's folder follows. */
export const KINE_OWN_FLAG = 'server-cert-file'

/**
 * The arguments of kine. A driver passes on the connection to a database in `KINE_ENDPOINT`, since every user of a machine
 * can read arguments. Only clients with a certificate of the plane's etcd CA can connect. kine
 * itself compacts nothing: kube-apiserver does, as with etcd.
 */
export function kineArguments(spec: PlaneSpec, { kine, pkiFolder }: Layout): string[] {
  if (kine === undefined) {
    return []
  }
  const flags = {
    ...(databaseOf(spec) === undefined
      ? { endpoint: `sqlite://${connectionTo(kine, { isSafe: !spec.ephemeral })}` }
      : caFlag(kine)),
    'listen-address': kine.listen,
    // Without colors, which the other format always has.
    'log-format': 'json',
    // `0` closes the port.
    'metrics-bind-address': '0',
    [KINE_OWN_FLAG]: `${pkiFolder}/etcd/server.crt`,
    'server-key-file': `${pkiFolder}/etcd/server.key`,
    'trusted-ca-file': `${pkiFolder}/etcd/ca.crt`,
  }
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`)
}

function caFlag({ caFile }: NonNullable<Layout['kine']>): Record<string, string> {
  return caFile === undefined ? {} : { 'ca-file': caFile }
}

/** What the write-ahead log of sqlite keeps on disk after all of it was written into the file, in bytes. */
const LOG_BYTES = 16 * 1024 * 1024

/**
 * Kine 0.17.2 counts the rows of two tables at its start, and reads the second answer only if the first table, which is from before
 * its first release, exists and has rows (pkg/drivers/generic/generic.go, `Migrate`). The other one stays open as long as kine runs,
 * so sqlite can write nothing of the log into the file: the log grew by about 50 KB with each write, and by 700 MB a day at rest. This row
 * is no key that kine could migrate.
 */
const FORMER_TABLE =
  'CREATE TABLE IF NOT EXISTS key_value AS SELECT NULL AS id, NULL AS name, NULL AS value, NULL AS ttl'

/**
 * Kine without cgo executes them for each connection, in the order of the alphabet, and others ignore them. It decodes them once, and its
 * driver for sqlite once more.
 */
function pragmas(): string[] {
  return [`journal_size_limit(${LOG_BYTES})`, `wal_autocheckpoint(1000);${FORMER_TABLE}`].map(
    (pragma) => `_pragma=${encodeURIComponent(encodeURIComponent(pragma))}`,
  )
}

/**
 * A connection as kine 0.17 reads it (pkg/drivers/sqlite/sqlite_nocgo.go). kine's default, `_synchronous=NORMAL`, loses
 * acknowledged writes when the power fails. sqlite decodes the path as that of a URI. Only kine without cgo passes on `mode`.
 */
function connectionTo(
  { file, mode }: NonNullable<Layout['kine']>,
  { isSafe }: { isSafe: boolean },
): string {
  const path = file.replaceAll(/[%?#]/g, encodeURIComponent)
  const parameters = [
    '_journal_mode=WAL',
    '_busy_timeout=30000',
    `_synchronous=${isSafe ? 'FULL' : 'OFF'}`,
    '_txlock=immediate',
    ...pragmas(),
    ...(mode === undefined ? [] : [`mode=${mode}`]),
  ]
  return `${path}?${parameters.join('&')}`
}
