import { lookup } from 'node:dns/promises'
import { connect, type Socket } from 'node:net'
import type { PlacedName } from '../../drivers/kubernetes/context/object-names.ts'
import { ETCD_CLIENT_FILES, type EtcdConnection } from '../../etcd/etcd-connection.ts'
import { workingMember } from '../../etcd/members/working-member.ts'
import { ETCD_PORTS } from '../../manifests/ports.ts'
import { memberHost, memberName, membersHost } from '../../manifests/pod-layout.ts'
import { fileIn, type PodFiles } from './pod-world.ts'

/** A connection to a working member, from a pod of its namespace. @throws {VplaneError} `UNREACHABLE` when none works. */
export async function etcdInPods(
  place: PlacedName,
  { files, signal }: { files: PodFiles; signal: AbortSignal },
): Promise<EtcdConnection> {
  const what = `etcd of "${place.name}"`
  const connectionTo = connectionsInPods(files)
  const members = await lookup(membersHost(place), { all: true })
  const connections = members.map(({ address }) => connectionTo(address, `${what} at ${address}`))
  return workingMember(connections, what, signal)
}

/** Connections to the members of a plane's etcd by their ordinals, from a pod of its namespace. */
export function membersInPods(
  plane: PlacedName,
  files: PodFiles,
): (ordinal: number) => EtcdConnection {
  const connectionTo = connectionsInPods(files)
  return (ordinal) =>
    connectionTo(memberHost(plane, ordinal), `etcd in "${memberName(plane.name, ordinal)}"`)
}

function connectionsInPods(files: PodFiles): (host: string, what: string) => EtcdConnection {
  const { certificate, certificateAuthority, key } = ETCD_CLIENT_FILES
  const credential = {
    certificateAuthority: fileIn(files, certificateAuthority),
    certificate: fileIn(files, certificate),
    key: fileIn(files, key),
  }
  return (host, what) => ({
    what,
    dial: (signal, speech) => dial(host, ETCD_PORTS[speech], signal),
    ...credential,
  })
}

function dial(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal })
    socket.once('error', reject)
    socket.once('connect', () => resolve(socket.off('error', reject)))
  })
}
