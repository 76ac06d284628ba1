import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { AGNHOST_IMAGE } from '../../lab/images/lab-images.ts'
import { createSyncedPlane, type SyncedPlane } from '../../support/host/planes/synced-plane.ts'
import { until } from '../../support/until.ts'

const NAME = `e2e-${randomBytes(4).toString('hex')}`

describeOnHost('classes of a host that a plane may read', () => {
  let plane: SyncedPlane
  beforeAll(async () => {
    plane = await createSyncedPlane(['--sync-classes'])
  })
  afterAll(async () => {
    await plane.cli.host(['delete', 'priorityclass', NAME, '--ignore-not-found'])
    await plane[Symbol.asyncDispose]()
  })

  test('are those of the plane, the default one too', async () => {
    const field = (jsonpath: string) => ['--output', `jsonpath=${jsonpath}`]
    const modes = field('{range .items[*]}{.metadata.name} {.volumeBindingMode};{end}')

    const ofHost = await plane.cli.host(['get', 'storageclass', ...modes])
    await until(
      'the classes',
      async () => (await plane.ok('get', 'storageclass', ...modes)) === ofHost,
    )
    expect(await plane.ok('get', 'storageclass')).toMatch(/\(default\) +vplane\.dev\/host/)
  })

  test('come, count on the host, and go with those of the host', async () => {
    await plane.cli.host(['create', 'priorityclass', NAME, '--value=1000'])
    await until('the class', async () => (await names()).includes(NAME))

    await plane.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'urgent' },
      spec: {
        priorityClassName: NAME,
        containers: [{ name: 'pause', image: AGNHOST_IMAGE, args: ['pause'] }],
      },
    })
    await until('the host pod', async () =>
      (await plane.onHost('get', 'pods', '--output', 'name')).includes('urgent-x-default-x-dev'),
    )
    const priority = ['--output', 'jsonpath={.spec.priorityClassName} {.spec.priority}']
    expect(await plane.onHost('get', 'pod', 'urgent-x-default-x-dev', ...priority)).toBe(
      `${NAME} 1000`,
    )
    await plane.cli.host(['delete', 'priorityclass', NAME])

    await until('the end of the class', async () => !(await names()).includes(NAME))
  })

  function names(): Promise<string> {
    return plane.ok('get', 'priorityclass', '--output', 'name')
  }
})
