import { etcdContract, type EtcdUnderTest } from './etcd-contract.ts'
import { SimulatedEtcd } from './simulated-etcd.ts'

etcdContract(async () => openSimulated())

function openSimulated(): EtcdUnderTest {
  const etcd = new SimulatedEtcd({ count: 3, isEphemeral: false })
  etcd.joining = undefined
  const placeOf = (ordinal: number) =>
    etcd.observe().places.find((place) => place.ordinal === ordinal)
  return {
    list: async () => {
      etcd.settle()
      return etcd.observe().members
    },
    leader: async () => {
      etcd.settle()
      const { leader, members = [] } = etcd.observe()
      return members.find(({ id }) => id === leader)?.ordinal
    },
    change: async (step) => etcd.change(step),
    stop: async (ordinal) => etcd.setStopped(ordinal, true),
    start: async (ordinal) => etcd.setStopped(ordinal, false),
    startEmpty: async (ordinal, peers) => {
      etcd.damage(ordinal, 'wipe')
      etcd.joining = { ordinal, peers }
      etcd.setStopped(ordinal, false)
      etcd.settle()
    },
    hasFailed: async (ordinal) => placeOf(ordinal)?.damage !== undefined,
    raiseAlarm: async (ordinal) => etcd.setAlarm(ordinal, 'NOSPACE'),
    clearAlarm: async (ordinal) => etcd.setAlarm(ordinal, undefined),
    alarms: async () => [...etcd.observe().alarms],
    [Symbol.asyncDispose]: async () => {},
  }
}
