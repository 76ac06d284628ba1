import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { PlaneCertificate } from '../../../control-plane/driver/plane-certificates.ts'
import type { EtcdConnection } from '../../../etcd/etcd-connection.ts'
import { etcdAgent } from '../../../etcd/etcd-agent.ts'
import { createKubeClient, type KubeClient } from '../../../kube/client/client.ts'
import { RecentlyUsed } from '../../../shared/recently-used.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'

const MINUTE_MS = 60_000

/**
 * What a process that asks the same planes again and again keeps of them: connections to their components while their
 * credentials stay the same, and what it read from their certificates.
 */
export class KeptOpen {
  readonly #clients = new RecentlyUsed<KubeClient>((client) => void client[Symbol.asyncDispose]())
  readonly #agents = new RecentlyUsed<NonNullable<EtcdConnection['agent']>>((agent) =>
    agent.destroy(),
  )
  readonly #certificates = new RecentlyUsed<Promise<PlaneCertificate[]>>()
  readonly #expiries = new RecentlyUsed<Date | undefined>()

  /** A client of a component, which its user need not close. */
  client(connection: { server: string; certificateAuthority: string }): KubeClient {
    const { certificateAuthority, server } = connection
    const client = this.#clients.get(server, certificateAuthority, () =>
      createKubeClient(connection),
    )
    return { ...client, [Symbol.asyncDispose]: () => Promise.resolve() }
  }

  /** The same connection, which stays open between requests. */
  etcd({ root }: PlaneFolder, connection: EtcdConnection): EtcdConnection {
    const { certificate, certificateAuthority, key } = connection
    const proof = [certificateAuthority, certificate, key].join('\n')
    return { ...connection, agent: this.#agents.get(root, proof, () => etcdAgent(connection)) }
  }

  /** The certificates of a plane, listed again when a file was replaced, and each minute. */
  certificates(
    { pki }: PlaneFolder,
    list: () => Promise<PlaneCertificate[]>,
  ): Promise<PlaneCertificate[]> {
    return this.#certificates.get(pki, stateOf(pki), list)
  }

  /** When the first of them expires. */
  expiry({ pki }: PlaneFolder, read: () => Date | undefined): Date | undefined {
    return this.#expiries.get(pki, stateOf(pki), read)
  }
}

/** Differs after a file was replaced, which changes the time of its folder, and in each minute. */
function stateOf(pki: string): string {
  const times = [pki, join(pki, 'etcd')].map(
    (folder) => statSync(folder, { bigint: true, throwIfNoEntry: false })?.mtimeNs ?? 0n,
  )
  return [...times, Math.floor(Date.now() / MINUTE_MS)].join()
}
