import { expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { busyMachine } from '../../support/machine/busy-machine.ts'
import {
  beyondTheLead,
  lostOf,
  PATIENT,
  startWriter,
} from '../../support/data/config-map-writer.ts'
import { createHostCli } from '../../support/host/host-cli.ts'
import { HA_FLAGS } from '../../support/host/planes/ha-flags.ts'
import { isTaken, newToken } from '../../support/data/service-account-token.ts'
import { untilRoom } from '../../support/host/planes/until-room.ts'

/** With the time that others may take before it is its turn. */
const TIMEOUT_MS = 3_600_000
const ALL = ['--stage', 'complete', '--yes']

describeOnHost('changes of a plane of the preset ha', { timeout: TIMEOUT_MS }, () => {
  test('fail no request while etcd has five members, nor in any stage of a rotation, and end no token before the last', async () => {
    await using _turn = await busyMachine()
    await using cli = await createHostCli()
    await untilRoom(cli)
    const plane = ['rot', '--namespace', cli.newNamespace()]
    await cli.ok(['create', ...plane, ...HA_FLAGS])
    await cli.ok(['connect', ...plane])
    const old = await newToken(cli)
    const writer = await startWriter(cli, undefined, PATIENT)

    await cli.ok(['scale', ...plane, '--etcd', '5', '--yes'])
    await cli.ok(['scale', ...plane, '--etcd', '3', '--yes'])
    await cli.ok(['certs', 'rotate-service-account-key', ...plane, '--stage', 'switch', '--yes'])
    const isTakenYet = await isTaken(cli, old)
    await cli.ok(['certs', 'rotate-service-account-key', ...plane, '--yes'])
    const isTakenAfter = await isTaken(cli, old)
    await cli.ok(['certs', 'rotate-encryption-key', ...plane, ...ALL])
    await cli.ok(['certs', 'rotate-ca', ...plane, ...ALL])

    const { failures, taken } = await writer.stop()
    expect(await lostOf(cli, plane, taken)).toEqual([])
    expect(taken.length).toBeGreaterThan(20)
    expect([isTakenYet, isTakenAfter]).toEqual([true, false])
    expect(beyondTheLead(failures)).toEqual([])
  })
})
