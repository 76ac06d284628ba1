import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { processTableOf } from '../../src/shared/processes/process-table-of.ts'
import { type Cli, createCli } from '../support/cli/cli.ts'

const OTHER_BOOT = '00000000-0000-4000-8000-000000000000'

describe('after a reboot of the machine', () => {
  let cli: Cli
  const statuses = async () => {
    const planes: Array<{ name: string; status: string }> = (await cli.json(['list', '--json']))
      .items
    return Object.fromEntries(planes.map(({ name, status }) => [name, status]))
  }

  beforeAll(async () => {
    cli = await createCli()
    await Promise.all([
      cli.ok(['create', 'kept', '--connect']),
      cli.ok(['create', 'passing', '--ephemeral']),
    ])
    await cli.ok(['connect', 'kept', '--', 'kubectl', 'create', 'configmap', 'mine'])
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('an ephemeral plane is gone, and a normal one is stopped until its first use, and has its data then', async () => {
    await expect.poll(statuses).toEqual({ kept: 'Ready', passing: 'Ready' })

    reboot(cli, ['kept', 'passing'])

    expect(await statuses()).toEqual({ kept: 'Stopped' })
    expect(cli.files().filter((file) => file.includes('passing'))).toEqual([])
    const used = await cli.kubectl(['get', 'configmap', 'mine', '-o', 'name'])
    expect(used.stdout, used.stderr).toBe('configmap/mine\n')
    // Its API serves before its controllers do.
    await expect.poll(statuses, { timeout: 60_000 }).toEqual({ kept: 'Ready' })
    const again = await cli.run(['create', 'passing', '--ephemeral'])
    expect(again.code, again.stderr).toBe(0)
  })

  test('a process that has the id of a component of the former boot is left alone', async () => {
    await cli.ok(['create', 'old'])
    reboot(cli, ['old'])
    const stranger = spawn('sleep', ['600'], { stdio: 'ignore' })
    try {
      await once(stranger, 'spawn')
      const { pid } = stranger
      expect.assert(pid !== undefined)
      // Clock ticks since boot: a process of the former boot may have started at the same.
      const startTime = processTableOf(process.platform).startTimeOf(pid)
      for (const file of recordsOf(cli, 'old')) {
        change(file, { processId: pid, startTime })
      }

      expect(await statuses()).toMatchObject({ old: 'Stopped' })
      await cli.ok(['delete', 'old', '--yes'])

      expect(stranger.exitCode ?? stranger.signalCode).toBeNull()
    } finally {
      stranger.kill()
    }
  })
})

/** What a reboot is to planes, as no test can make one: their processes are gone, and the machine's boot id is another. */
function reboot(cli: Cli, names: readonly string[]): void {
  for (const name of names) {
    const { root } = cli.plane(name)
    for (const { args, id } of cli.processes()) {
      if (args.some((argument) => argument.includes(`${root}/`))) {
        process.kill(id, 'SIGKILL')
      }
    }
    change(cli.plane(name).record, { bootId: OTHER_BOOT })
    for (const file of recordsOf(cli, name)) {
      change(file, { bootId: OTHER_BOOT })
    }
  }
}

function recordsOf(cli: Cli, name: string): string[] {
  const { processes } = cli.plane(name)
  return readdirSync(processes).map((file) => join(processes, file))
}

function change(path: string, fields: object): void {
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...fields }))
}
