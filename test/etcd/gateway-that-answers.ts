import type { EtcdConnection } from '../../src/etcd/etcd-connection.ts'
import { etcdConnection, etcdGateway } from '../support/etcd-gateway.ts'

/** A gateway of etcd that gives these answers, one after the other; the last one stays. */
export async function gatewayThatAnswers(
  status: number,
  ...answers: object[]
): Promise<{ gateway: EtcdConnection; requests: unknown[] }> {
  const left = [...answers]
  const { dial, requests } = await etcdGateway(() => [
    status,
    (left.length > 1 ? left.shift() : left[0]) ?? {},
  ])
  return { gateway: etcdConnection('etcd', dial), requests }
}
