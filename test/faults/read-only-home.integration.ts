import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, createCli } from '../support/cli/cli.ts'
import { createSmallDisk, type SmallDisk, whyNoSmallDisk } from '../support/machine/small-disk.ts'

const ROOM_MIB = 600

const reason = whyNoSmallDisk()

describe.skipIf(reason !== undefined)(
  `with a read-only home${reason ? ` (${reason})` : ''}`,
  () => {
    let disk: SmallDisk
    let cli: Cli

    beforeAll(async () => {
      disk = createSmallDisk(ROOM_MIB)
      cli = await createCli({ root: join(disk.path, 'home') })
      await cli.ok(['create', 'kept', '--connect'])
      await cli.ok(['connect', 'kept', '--', 'kubectl', 'create', 'configmap', 'mine'])
      await cli.ok(['pause', 'kept'])
      disk.setReadOnly(true)
    })
    afterAll(async () => {
      disk.setReadOnly(false)
      await cli[Symbol.asyncDispose]()
      disk[Symbol.dispose]()
    })

    test.for([
      [['create', 'other'], 7],
      [['run', '--', 'true'], 125],
      [['resume', 'kept'], 7],
      [['connect', 'kept'], 7],
      [['connect', 'kept', '--', 'true'], 125],
      [['disconnect'], 7],
      [['delete', 'kept', '--yes'], 7],
      [['config', 'set', 'timeout', '30s'], 7],
    ] as const)('says why %j cannot be done', async ([args, expected]) => {
      const { code, durationMs, stderr } = await cli.run(args)

      expect({ code, stderr }).toEqual({
        code: expected,
        stderr: expect.stringMatching(/^error: .*read-only/im),
      })
      // Nothing of it waits for a limit.
      expect(durationMs).toBeLessThan(60_000)
    })

    test('says why a first plane cannot be made where vplane never was', async () => {
      const { code, stderr } = await cli.run(['create', 'first'], {
        env: { XDG_DATA_HOME: join(cli.root, 'new', 'data') },
      })

      expect(code, stderr).toBe(7)
      expect(stderr).toMatch(/^error: .*read-only/m)
    })

    test.for([
      [['list'], 'kept'],
      [['describe', 'kept'], 'Paused'],
      [['logs', 'kept', 'etcd'], 'etcd'],
      [['config', 'list'], 'timeout'],
      [['version'], 'vplane'],
    ] as const)('shows with %j what is there', async ([args, expected]) => {
      const { code, stderr, stdout } = await cli.run(args)

      expect(code, stderr).toBe(0)
      expect(stdout).toContain(expected)
    })

    test('loses nothing', async () => {
      disk.setReadOnly(false)
      try {
        const { stderr, stdout } = await cli.kubectl(['get', 'configmap', 'mine', '-o', 'name'])

        expect(stdout, stderr).toBe('configmap/mine\n')
        await cli.ok(['create', 'other'])
        await cli.ok(['delete', 'other', '--yes'])
      } finally {
        await cli.ok(['pause', 'kept'])
        disk.setReadOnly(true)
      }
    })
  },
)
