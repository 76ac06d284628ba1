import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnHost } from '../../lab/describe-lab.ts'
import { busyMachine } from '../../support/machine/busy-machine.ts'
import { createHostCli, type HostCli, RESTRICTED } from '../../support/host/host-cli.ts'
import { hostObjects } from '../../support/host/host-objects.ts'

describeOnHost('planes in host namespaces', () => {
  let cli: HostCli
  const at = (namespace: string) => ['--namespace', namespace]
  const kubectl = (name: string, namespace: string, ...args: string[]) =>
    cli.run(['connect', name, ...at(namespace), '--', 'kubectl', ...args])

  beforeAll(async () => {
    cli = await createHostCli()
  })
  afterAll(() => cli[Symbol.asyncDispose]())

  test('need no rights beyond one namespace, which admits only restricted pods', async () => {
    const namespace = await cli.makeNamespace(RESTRICTED)
    await using theirs = await createHostCli({ lab: cli.lab })
    writeFileSync(theirs.kubeconfig, await cli.lab.namespaceAdminKubeconfig(namespace))
    const before = await hostObjects(cli.lab, namespace)

    await theirs.ok(['create', 'dev', '--connect'])
    const { code, stderr } = await theirs.kubectl(['get', 'serviceaccount', 'default'])
    const list = async () => (await theirs.json(['list', '--json'])).items
    await expect
      .poll(list, { timeout: 60_000 })
      .toMatchObject([{ name: 'dev', namespace, status: 'Ready', connected: true }])
    const described: { components: Array<{ state: string }> } = await theirs.json([
      'describe',
      'dev',
      '--json',
    ])
    await theirs.ok(['delete', 'dev', '--yes'])

    expect(code, stderr).toBe(0)
    expect(described.components).toHaveLength(3)
    expect(new Set(described.components.map(({ state }) => state))).toEqual(new Set(['running']))
    expect(await hostObjects(cli.lab, namespace)).toEqual(before)
    expect(theirs.processes()).toEqual([])
  })

  test('are told before anything is touched that they have no rights there', async () => {
    const [own, others] = [await cli.makeNamespace(), await cli.makeNamespace()]
    await using theirs = await createHostCli({ lab: cli.lab })
    writeFileSync(theirs.kubeconfig, await cli.lab.namespaceAdminKubeconfig(own))

    const inAnother = await theirs.run(['create', 'dev', ...at(others)])
    const inNew = await theirs.run(['create', 'dev', ...at(cli.newNamespace())])

    expect(inAnother.code, inAnother.stderr).toBe(7)
    expect(inAnother.stderr).toContain('nothing was changed')
    expect(inAnother.stderr).toMatch(/rights: you may not .*create.* deployments\.apps/s)
    expect(inNew.code, inNew.stderr).toBe(7)
    expect(inNew.stderr).toContain('rights: you may not')
  })

  test('live beside each other, under one name in two namespaces too, and go alone', async () => {
    const [first, second] = [cli.newNamespace(), cli.newNamespace()]
    const places = [
      ['one', first],
      ['two', first],
      ['one', second],
    ] as const
    const create = ([name, namespace]: readonly [string, string]) =>
      cli.ok(['create', name, ...at(namespace), '--ephemeral'])
    await Promise.all(places.map(create))

    const marks = await Promise.all(
      places.map(([name, namespace]) =>
        kubectl(name, namespace, 'create', 'configmap', `${name}-${namespace}`),
      ),
    )
    const ambiguous = await cli.run(['describe', 'one'])
    await cli.ok(['delete', 'one', ...at(first), '--yes'])
    const rest = await Promise.all(
      places
        .slice(1)
        .map(([name, namespace]) => kubectl(name, namespace, 'get', 'configmap', '-o', 'name')),
    )

    expect(marks.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(ambiguous.code).toBe(2)
    expect(ambiguous.stderr).toContain(`--namespace ${first}`)
    expect(ambiguous.stderr).toContain(`--namespace ${second}`)
    expect(rest.map(({ stdout }) => stdout.trim().split('\n'))).toEqual([
      ['configmap/kube-root-ca.crt', `configmap/two-${first}`],
      ['configmap/kube-root-ca.crt', `configmap/one-${second}`],
    ])
    const left = [...(await hostObjects(cli.lab, first)).keys()]
    expect(left.filter((object) => object.includes('vplane-one-'))).toEqual([])
    expect(left).toContain(`Namespace ${first}`)

    await cli.ok(['delete', 'two', ...at(first), '--yes'])
    expect(await hostObjects(cli.lab, first)).toEqual(new Map())
  })

  test('are all ready if ten are created at once', { timeout: 3_600_000 }, async () => {
    await using _turn = await busyMachine()
    const namespace = cli.newNamespace()
    const names = Array.from({ length: 10 }, (_, index) => `p${index}`)

    const created = await Promise.all(names.map((name) => createAsTold(name, namespace)))
    for (const { code, stderr } of created) {
      expect(code, stderr).toBe(0)
    }
    const listed = async () => {
      const planes: Array<{ name: string; status: string; reason: string | null }> = (
        await cli.json(['list', ...at(namespace), '--json'])
      ).items
      return planes.map(({ name, status, reason }) => [name, status, reason])
    }
    // A plane can be used before the kubelet has asked all of its components.
    await expect
      .poll(listed, { timeout: 120_000, interval: 1000 })
      .toEqual(names.map((name) => [name, 'Ready', null]))
    await cli.ok(['delete', ...names, ...at(namespace), '--yes'])

    expect(await hostObjects(cli.lab, namespace)).toEqual(new Map())
  })

  /**
   * Makes a plane as someone does who reads hints: on a machine so busy that a vplane could not renew its lock in time,
   * it stops, and continues when it is run again.
   */
  async function createAsTold(name: string, namespace: string) {
    const words = ['create', name, ...at(namespace), '--ephemeral', '--timeout', '9m']
    let outcome = await cli.run(words)
    for (let again = 0; again < 3 && outcome.stderr.includes('run the command again'); again += 1) {
      outcome = await cli.run(words)
    }
    return outcome
  }
})
