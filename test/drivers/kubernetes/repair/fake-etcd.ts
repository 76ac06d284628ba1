import { Duplex } from 'node:stream'
import type { Host } from '../../../../src/drivers/kubernetes/context/context.ts'
import { storedKeys } from '../../../../src/drivers/kubernetes/objects/stored-keys.ts'
import { ETCD_PORTS } from '../../../../src/manifests/ports.ts'
import { peerUrlOf } from '../../../../src/manifests/pod-layout.ts'
import { messageOf, VplaneError } from '../../../../src/shared/errors.ts'
import { type EtcdAnswer, etcdGateway } from '../../../support/etcd-gateway.ts'
import type { FakeCluster } from '../fake-cluster.ts'

/** The etcd of a plane in memory, behind the pods of a fake cluster: members come as learners, and go. */
export interface FakeEtcd {
  forward: Host['forward']
  /** What was done to it, as `remove 11`. */
  done: string[]
  /** Without an id those of no certain member, as in etcd's JSON. */
  alarms: Array<{ memberID?: string; alarm: string }>
  /** The hashes of what its members store, by their ordinals. @default all store the same */
  hashes: Map<number, number>
  /** The ordinals of its members. */
  members(): number[]
  /** The member of an ordinal. */
  member(ordinal: number): Pick<FakeMember, 'ID' | 'isLearner'> | undefined
  /** Someone else gives it a member more: one with a vote, or one that never started. */
  join(ordinal: number, as: 'voter' | 'learner'): void
  /** Someone else takes the member of an ordinal out. */
  leave(ordinal: number): void
  /** The restored data of a snapshot has other members in place of all, each with a vote. */
  restored(count: number): void
  /** Refuses the next request of one kind in these words, as it does in passing. */
  refuseOnce(act: 'add' | 'remove' | 'promote', words: string): void
  /** The ordinals of restarted members: without a majority they only return metrics. */
  waiting: Set<number>
  /** The ordinals of members that do not even give these when they are asked for the first time. */
  silent: Set<number>
}

interface FakeMember {
  ID: string
  name: string
  peerURLs: string[]
  isLearner?: boolean
}

export interface FakeEtcdOptions {
  /** How many members it has at first. */
  count: number
  /** How many members can be asked. @default as many as it has at first */
  most?: number
  /** Tells which members run, by the ordinal of their pods. */
  isUp: (ordinal: number) => boolean
  /** Called before a change of the list or the leader; refuses it by throwing. @default nothing */
  onChange?: () => void
  /** Called after such a change. @default nothing */
  onChanged?: () => void
}

export async function fakeEtcd(
  cluster: FakeCluster,
  place: { name: string; namespace: string },
  { count, isUp, most = count, onChange = () => {}, onChanged = () => {} }: FakeEtcdOptions,
): Promise<FakeEtcd> {
  const files = await storedKeys(cluster.api, place, cluster.operation().signal)
  const done: string[] = []
  const alarms: FakeEtcd['alarms'] = []
  const waiting: FakeEtcd['waiting'] = new Set()
  const silent: FakeEtcd['silent'] = new Set()
  const hashes: FakeEtcd['hashes'] = new Map()
  const refusals = new Map<string, string>()
  let nextId = 20
  let chosen: string | undefined
  let members = Array.from({ length: count }, (_, ordinal) =>
    memberAt(ordinal, String(10 + ordinal)),
  )

  function memberAt(ordinal: number, ID: string): FakeMember {
    return { ID, name: `member ${ordinal}`, peerURLs: [peerUrlOf(place, ordinal)] }
  }
  function ordinalOf({ peerURLs }: Pick<FakeMember, 'peerURLs'>): number {
    return [0, 1, 2, 3, 4].findIndex((ordinal) => peerURLs.includes(peerUrlOf(place, ordinal)))
  }
  /** A member publishes its name when it has started; a learner is late with it. */
  function hasName(one: FakeMember): boolean {
    return isUp(ordinalOf(one)) && one.isLearner !== true
  }
  const acts: Record<string, (body: Record<string, unknown>) => EtcdAnswer> = {
    '/v3/cluster/member/list': () => [
      200,
      { members: members.map((one) => (hasName(one) ? one : { ...one, name: '' })) },
    ],
    '/v3/cluster/member/remove': ({ ID }) => {
      done.push(`remove ${String(ID)}`)
      // Another one copies the data of the others.
      hashes.delete(ordinalOf(members.find((one) => one.ID === ID) ?? { peerURLs: [] }))
      members = members.filter((one) => one.ID !== ID)
      return [200, {}]
    },
    '/v3/cluster/member/add': ({ peerURLs }) => {
      const [url] = [peerURLs].flat()
      const ordinal = ordinalOf({ peerURLs: [String(url)] })
      done.push(`add ${ordinal}`)
      members = [...members, { ...memberAt(ordinal, String((nextId += 1))), isLearner: true }]
      return [200, {}]
    },
    '/v3/cluster/member/promote': ({ ID }) => {
      done.push(`promote ${String(ID)}`)
      members = members.map((one) => (one.ID === ID ? { ...one, isLearner: false } : one))
      return [200, {}]
    },
    '/v3/maintenance/alarm': ({ action }) => {
      if (action === 'DEACTIVATE') {
        done.push('end an alarm')
        alarms.length = 0
      }
      return [200, { alarms }]
    },
    '/v3/maintenance/defragment': () => {
      done.push('defragment')
      return [200, {}]
    },
    '/v3/kv/compaction': () => [200, {}],
    '/v3/maintenance/transfer-leadership': ({ targetID }) => {
      done.push(`lead ${String(targetID)}`)
      chosen = String(targetID)
      return [200, {}]
    },
  }
  function refusalOf(path: string): EtcdAnswer | undefined {
    const message = refusals.get(path)
    refusals.delete(path)
    return message === undefined ? undefined : [503, { code: 14, message }]
  }
  function act(path: string, body: Record<string, unknown>): EtcdAnswer | undefined {
    if (!/(add|remove|promote|leadership)$/.test(path)) {
      return acts[path]?.(body)
    }
    try {
      onChange()
    } catch (error) {
      return [503, { code: 14, message: messageOf(error) }]
    }
    const answer = acts[path]?.(body)
    onChanged()
    return answer
  }
  const voters = () => members.filter(({ isLearner = false }) => !isLearner)
  const running = () => voters().filter((one) => isUp(ordinalOf(one)))
  const leader = () => running().find(({ ID }) => ID === chosen) ?? running()[0]
  const isLed = () => running().length * 2 > voters().length
  const gateways = await Promise.all(
    Array.from({ length: most }, (_, ordinal) => {
      const own = () => members.find((one) => ordinalOf(one) === ordinal)
      const status = (): EtcdAnswer => {
        const header = { member_id: own()?.ID ?? '0', revision: String(40 + ordinal) }
        const isLearner = own()?.isLearner === true
        return [200, { header, isLearner, ...(isLed() ? { leader: leader()?.ID } : {}) }]
      }
      const hashOf = (path: string): EtcdAnswer | undefined =>
        path === '/v3/maintenance/hashkv'
          ? [200, { hash: hashes.get(ordinal) ?? 7, compact_revision: '30' }]
          : undefined
      return etcdGateway(
        (path, body) => refusalOf(path) ?? act(path, Object(body)) ?? hashOf(path) ?? status(),
        files,
      )
    }),
  )
  return {
    done,
    alarms,
    hashes,
    members: () => members.map(ordinalOf),
    member: (ordinal) => members.find((one) => ordinalOf(one) === ordinal),
    join: (ordinal, as) => {
      const member = memberAt(ordinal, String((nextId += 1)))
      members = [...members, { ...member, isLearner: as === 'learner' }]
    },
    leave: (ordinal) => {
      members = members.filter((one) => ordinalOf(one) !== ordinal)
    },
    restored: (total) => {
      members = Array.from({ length: total }, (_, ordinal) =>
        memberAt(ordinal, String((nextId += 1))),
      )
    },
    refuseOnce: (act, words) => refusals.set(`/v3/cluster/member/${act}`, words),
    waiting,
    silent,
    forward: ({ pod, port }) => {
      const ordinal = Number(pod.slice(-1))
      if (!isUp(ordinal) || (port === ETCD_PORTS.metrics && silent.delete(ordinal))) {
        return Promise.reject(new VplaneError('UNREACHABLE', `${pod} does not run`))
      }
      if (port === ETCD_PORTS.metrics) {
        return Promise.resolve(answering(metricsOf({ revision: 40 + ordinal, isLed: isLed() })))
      }
      if (waiting.has(ordinal) && !isLed()) {
        return Promise.reject(new VplaneError('UNREACHABLE', `${pod} does not answer`))
      }
      return gateways[ordinal]?.dial() ?? Promise.reject(new Error(`no ${pod}`))
    },
  }
}

/** What etcd 3.6.16 says at its port for metrics, of which more is left out. */
function metricsOf({ isLed, revision }: { isLed: boolean; revision: number }): string {
  return `# TYPE etcd_debugging_mvcc_current_revision gauge
etcd_debugging_mvcc_current_revision ${revision}
etcd_mvcc_db_total_size_in_bytes 24576
etcd_mvcc_db_total_size_in_use_in_bytes 1.6384e+04
etcd_server_has_leader ${Number(isLed)}
etcd_server_id{server_id="3c2bdafe2850b2c0"} 1
etcd_server_is_learner 0
etcd_server_quota_backend_bytes 2.147483648e+09
`
}

/** A stream that leads to a server of HTTP with one page. */
function answering(page: string): Duplex {
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${page.length}\r\nconnection: close\r\n\r\n`
  const stream: Duplex = new Duplex({
    read: () => {},
    write: (_chunk, _encoding, done) => {
      stream.push(head + page)
      stream.push(null)
      done()
    },
  })
  return stream
}
