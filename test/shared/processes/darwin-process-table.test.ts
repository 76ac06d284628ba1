import { expect, test } from 'vitest'
import { darwinProcessTable } from '../../../src/shared/processes/darwin-process-table.ts'

const PLANE = '/Users/me/Library/My Data/vplane/planes/dev/'

test('asks ps for the start time of a process', () => {
  const { calls, run } = answering('Ss   Sat Nov 21 10:09:43 2026    \n')

  expect(darwinProcessTable(run).startTimeOf(42)).toBe('Sat Nov 21 10:09:43 2026')
  expect(calls).toEqual(['/bin/ps -o stat=,lstart= -p 42'])
})

test.for([
  ['a zombie', 'Z+   Sat Nov 21 10:09:43 2026\n'],
  ['no process', ''],
] as const)('treats %s as dead', ([, output]) => {
  expect(darwinProcessTable(answering(output).run).startTimeOf(42)).toBeUndefined()
})

test('asks once which boot this is', () => {
  const { calls, run } = answering('7A0B-1C6E\n')
  const table = darwinProcessTable(run)

  expect([table.bootId(), table.bootId()]).toEqual(['7A0B-1C6E', '7A0B-1C6E'])
  expect(calls).toEqual(['/usr/sbin/sysctl -n kern.bootsessionuuid'])
})

test('finds processes by the words of their commands, also with spaces in names of folders', () => {
  const { run } = answering(
    [
      `   11 /My Bin/etcd --config-file=${PLANE}configuration/etcd.json`,
      `12345 /opt/kube-apiserver --a=1 --tls-cert-file=${PLANE}pki/apiserver.crt --z=2`,
      `   14 vim ${PLANE}plane.json`,
      `${process.pid} node --z=2`,
      '',
    ].join('\n'),
  )
  const seen: Array<readonly string[]> = []

  const found = darwinProcessTable(run).findByCommand((words) => {
    seen.push(words)
    return words.includes('--z=2')
  })

  expect(found).toEqual([12_345])
  expect(seen.slice(0, 3)).toEqual([
    ['/My Bin/etcd', `--config-file=${PLANE}configuration/etcd.json`],
    ['/opt/kube-apiserver', '--a=1', `--tls-cert-file=${PLANE}pki/apiserver.crt`, '--z=2'],
    [`vim ${PLANE}plane.json`],
  ])
})

test.skipIf(process.platform !== 'darwin')('knows this process', () => {
  const table = darwinProcessTable()

  expect(table.startTimeOf(process.pid)).toMatch(/^[A-Z][a-z]{2} [A-Z][a-z]{2} \d+ .* \d{4}$/)
  expect(table.startTimeOf(999_999)).toBeUndefined()
  expect(table.bootId()).toMatch(/^[0-9A-F-]{36}$/)
})

function answering(output: string) {
  const calls: string[] = []
  const run = (command: string, args: string[]) => {
    calls.push([command, ...args].join(' '))
    return output
  }
  return { calls, run }
}
