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

/**
 * A connection as kine 0.16 reads it (pkg/drivers/sqlite/sqlite_nocgo.go). kine's default, `_synchronous=NORMAL`, loses
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
    ...(mode === undefined ? [] : [`mode=${mode}`]),
  ]
  return `${path}?${parameters.join('&')}`
}
