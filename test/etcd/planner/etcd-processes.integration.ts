import { changeMembership } from '../../../src/etcd/members/change-membership.ts'
import { leadingOrdinal } from '../../../src/etcd/members/etcd-cluster.ts'
import { listAlarms } from '../../../src/etcd/status/alarms.ts'
import { etcdProcesses } from '../etcd-processes.ts'
import { etcdContract, type EtcdUnderTest } from './etcd-contract.ts'

const ALL = [0, 1, 2]
const ANSWER_MS = 2000

// What the planner's tests take for granted, on real processes.
etcdContract(openProcesses)

async function openProcesses(): Promise<EtcdUnderTest> {
  await using stack = new AsyncDisposableStack()
  const etcd = stack.use(await etcdProcesses())
  await Promise.all(ALL.map((ordinal) => etcd.start(ordinal, ALL, 'new')))
  const { cluster } = etcd
  const orNothing = <Result>(work: (signal: AbortSignal) => Promise<Result>) =>
    work(AbortSignal.timeout(ANSWER_MS)).catch(() => undefined)
  const list = async () => (await orNothing((signal) => cluster.probe(signal)))?.members
  const alarm = async (ordinal: number, action: 'ACTIVATE' | 'DEACTIVATE') => {
    const memberID = (await list())?.find((member) => member.ordinal === ordinal)?.id
    await etcd.ask(0, '/v3/maintenance/alarm', { action, memberID, alarm: 'NOSPACE' })
  }
  const owned = stack.move()
  return {
    list,
    leader: () => orNothing(async (signal) => leadingOrdinal(await cluster.probe(signal))),
    change: async (step) =>
      (await orNothing(async (signal) => {
        await changeMembership(cluster, step, signal)
        return true
      })) === true,
    stop: (ordinal) => etcd.stop(ordinal),
    start: (ordinal) => etcd.start(ordinal, ALL),
    startEmpty: async (ordinal, peers) => {
      etcd.wipe(ordinal)
      await etcd.start(ordinal, peers)
    },
    hasFailed: async (ordinal) => !etcd.isRunning(ordinal),
    raiseAlarm: (ordinal) => alarm(ordinal, 'ACTIVATE'),
    clearAlarm: (ordinal) => alarm(ordinal, 'DEACTIVATE'),
    alarms: async () => {
      const found = await orNothing((signal) => listAlarms(cluster.at(0), signal))
      return (found ?? []).map(({ kind }) => kind)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
