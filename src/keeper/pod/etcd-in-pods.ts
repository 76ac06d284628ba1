import { lookup } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import type { PlacedName } from '../../drivers/kubernetes/context/object-names.ts'
import { ETCD_CLIENT_FILES, type EtcdConnection } from '../../etcd/etcd-connection.ts'
import { workingMember } from '../../etcd/members/working-member.ts'
import { ETCD_PORTS } from '../../manifests/ports.ts'
import { memberHost, memberName } from '../../manifests/pod-layout.ts'
import { PKI_FOLDER } from './pod-world.ts'

export interface EtcdPlace {
  plane: string
  /** The DNS name of the members. */
  host: string
}

/** A connection to a working member, from a pod of its plane. @throws {VplaneError} `UNREACHABLE` when none works. */
export async function etcdInPods(
  { host, plane }: EtcdPlace,
  signal: AbortSignal,
): Promise<EtcdConnection> {
  const what = `etcd of "${plane}"`
  const connectionTo = await connectionsInPods()
  const members = await lookup(host, { all: true })
  const connections = members.map(({ address }) => connectionTo(address, `${what} at ${address}`))
  return workingMember(connections, what, signal)
}

/** Connections to the members of a plane's etcd by their ordinals, from a pod of the same plane. */
export async function membersInPods(
  plane: PlacedName,
): Promise<(ordinal: number) => EtcdConnection> {
  const connectionTo = await connectionsInPods()
  return (ordinal) =>
    connectionTo(memberHost(plane, ordinal), `etcd in "${memberName(plane.name, ordinal)}"`)
}

/** Reads the certificates each time, since they are renewed. */
async function connectionsInPods(): Promise<(host: string, what: string) => EtcdConnection> {
  const pem = (file: string) => readFile(join(PKI_FOLDER, file), 'utf8')
  const files = {
    certificateAuthority: await pem(ETCD_CLIENT_FILES.certificateAuthority),
    certificate: await pem(ETCD_CLIENT_FILES.certificate),
    key: await pem(ETCD_CLIENT_FILES.key),
  }
  return (host, what) => ({
    what,
    dial: (signal, speech) => dial(host, ETCD_PORTS[speech], signal),
    ...files,
  })
}

function dial(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal })
    socket.once('error', reject)
    socket.once('connect', () => resolve(socket.off('error', reject)))
  })
}
