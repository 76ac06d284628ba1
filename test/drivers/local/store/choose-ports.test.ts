import { expect, test } from 'vitest'
import { choosePorts } from '../../../../src/drivers/local/store/choose-ports.ts'

test('chooses four different ports', async () => {
  const ports = await choosePorts(new Set())

  expect(Object.keys(ports)).toEqual(['etcdClient', 'etcdPeer', 'apiServer', 'controllerManager'])
  expect(new Set(Object.values(ports)).size).toBe(4)
})

test('chooses no port that a plane has, running or not', async () => {
  const all = Array.from({ length: 12_768 }, (_, index) => 20_000 + index)
  const taken = new Set(all.filter((port) => port % 8 !== 0))

  const ports = Object.values(await choosePorts(taken))

  expect(ports.filter((port) => taken.has(port))).toEqual([])
})
