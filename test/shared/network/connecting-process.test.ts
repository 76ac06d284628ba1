import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { processesOf } from '../../../src/shared/network/connecting-process.ts'
import { linuxProcessTable } from '../../../src/shared/processes/linux-process-table.ts'
import { listenOnLoopback } from '../../support/api/fake-api-server.ts'
import { clientInodes } from '../../../src/shared/network/socket-table.ts'

// Only Linux tells.
test.runIf(process.platform === 'linux')('finds the processes of connections', async () => {
  const server = createServer()
  const port = await listenOnLoopback(server)
  expect(await clientInodes({ to: port })).toEqual([])
  const clients = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  await Promise.all(clients.map((client) => once(client, 'connect')))

  const own = {
    id: process.pid,
    name: 'node',
    startTime: linuxProcessTable().startTimeOf(process.pid),
  }
  expect(await processesOf(await clientInodes({ to: port }))).toEqual([own, own])
  const from = clients[0]?.localPort ?? 0
  expect(await processesOf(await clientInodes({ from, to: port }))).toEqual([own])
  expect(await processesOf(['1'])).toEqual([undefined])

  clients.forEach((client) => client.destroy())
  server.close()
})
