import { connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { changeMembership } from '../../../src/etcd/members/change-membership.ts'
import { leadingOrdinal, workingOrdinals } from '../../../src/etcd/members/etcd-cluster.ts'
import { isUnhealthy } from '../../../src/etcd/members/is-transient.ts'
import { listenOnLoopback } from '../../support/api/fake-api-server.ts'
import { etcdProcesses } from '../etcd-processes.ts'

const ALL = [0, 1, 2]
const LATE = 1
const poll = { timeout: 60_000 }

// etcd-io/etcd#14523: after a message that failed late, a member counts another one as lost while both are connected.
test('adds a member when one of two counts the other one as lost for good', async () => {
  await using stack = new AsyncDisposableStack()
  const messages = new HeldMessages()
  const reachedAt = async (ordinal: number, peerPort: number) =>
    messages.relayTo(peerPort, stack, { holds: ordinal === LATE })
  const { cluster, ...etcd } = stack.use(await etcdProcesses({ reachedAt }))
  const signal = AbortSignal.timeout(3 * poll.timeout)
  const probe = () => cluster.probe(signal)
  const leads = async () => leadingOrdinal(await probe())
  const present = [0, 2]
  await Promise.all(present.map((ordinal) => etcd.start(ordinal, ALL, 'new')))
  await expect.poll(leads, poll).toBeDefined()
  // It asked all of them for their votes.
  const mistaken = (await leads()) ?? 0
  await etcd.start(LATE, ALL, 'new')
  // A stream that connects later would count it as connected again. Each member has two to each other one.
  await expect.poll(() => messages.streams, poll).toBe(12)
  await expect.poll(async () => workingOrdinals(await probe()), poll).toEqual(ALL)
  messages.drop()

  const gone = present.find((ordinal) => ordinal !== mistaken) ?? 0
  const { id = '' } = (await probe()).members?.find(({ ordinal }) => ordinal === gone) ?? {}
  await etcd.stop(gone)
  await expect.poll(leads, poll).toBeDefined()
  const remove = { kind: 'remove-member', ordinal: gone, id } as const
  const add = { kind: 'add-member', ordinal: gone } as const
  const outcome = async (change: Promise<void>) =>
    change.then(
      () => 'done',
      (error: unknown) => error,
    )
  await expect
    .poll(async () => outcome(changeMembership(cluster, remove, signal)), poll)
    .toBe('done')
  const connected = async () => {
    const page = (await etcd.metrics(mistaken)) ?? ''
    return [...page.matchAll(/^etcd_network_active_peers\{.*\} (\d+)$/gm)].map(([, one]) => one)
  }
  await expect.poll(connected, poll).toEqual(['0', '0'])
  const alone = { ...cluster, speaker: async () => cluster.at(mistaken) }
  expect(await outcome(changeMembership(alone, add, signal))).toSatisfy(isUnhealthy)

  // The other one takes a new member once it has been connected for a while (etcd 3.6, HealthInterval).
  await expect.poll(async () => outcome(changeMembership(cluster, add, signal)), poll).toBe('done')

  expect((await probe()).members).toHaveLength(3)
  expect(await connected()).toEqual(['0', '0'])
})

/** Relays to members, which can hold the messages that are not part of a stream: the member never gets them. */
class HeldMessages {
  readonly #held: Socket[] = []
  #dropped = false
  /** How many streams are connected, among all members. */
  streams = 0

  /** The port of a server on this machine that passes on all other connections. */
  async relayTo(
    port: number,
    stack: AsyncDisposableStack,
    { holds }: { holds: boolean },
  ): Promise<number> {
    const server = createServer((incoming) => {
      incoming.once('data', (head) => {
        if (holds && head.toString('latin1').startsWith('POST /raft ')) {
          this.#held.push(incoming)
          if (this.#dropped) {
            this.drop()
          }
          return
        }
        const outgoing = connect(port, '127.0.0.1', () => {
          outgoing.write(head)
          incoming.pipe(outgoing).pipe(incoming)
        })
        outgoing.on('error', () => incoming.destroy()).on('close', () => incoming.destroy())
        if (head.toString('latin1').startsWith('GET /raft/stream/')) {
          this.#count(outgoing)
        }
        incoming.on('close', () => outgoing.destroy())
      })
      incoming.on('error', () => incoming.destroy())
    })
    stack.defer(() => {
      server.close()
      this.drop()
    })
    return listenOnLoopback(server)
  }

  /** Counts a stream from its first answer until it ends. */
  #count(stream: Socket): void {
    stream.once('data', () => {
      this.streams += 1
      stream.once('close', () => {
        this.streams -= 1
      })
    })
  }

  drop() {
    this.#dropped = true
    for (const socket of this.#held.splice(0)) {
      socket.destroy()
    }
  }
}
