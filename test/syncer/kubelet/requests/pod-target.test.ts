import { expect, test } from 'vitest'
import { parsePodRequest } from '../../../../src/syncer/kubelet/requests/parse-pod-request.ts'
import { parseQuery } from '../../../../src/syncer/kubelet/requests/parse-query.ts'
import { hostPath } from '../../../../src/syncer/kubelet/requests/pod-target.ts'

const POD = { namespace: 'h', name: 'p' }
const AT = '/api/v1/namespaces/h/pods/p'

test.for([
  ['/containerLogs/n/v/c', `${AT}/log?container=c`],
  [
    '/containerLogs/n/v/c?follow=true&previous=true&timestamps=true&sinceSeconds=5&tailLines=7&limitBytes=9',
    `${AT}/log?container=c&follow=true&previous=true&timestamps=true&sinceSeconds=5&tailLines=7&limitBytes=9`,
  ],
  [
    '/containerLogs/n/v/c?sinceTime=2026-01-02T03%3A04%3A05%2B01%3A00&stream=Stderr',
    `${AT}/log?container=c&sinceTime=2026-01-02T03%3A04%3A05%2B01%3A00&stream=Stderr`,
  ],
  ['/containerLogs/n/v/c?stream=All', `${AT}/log?container=c`],
  ['/containerLogs/n/v/c?tailLines=1&tailLines=2', `${AT}/log?container=c&tailLines=1`],
  [
    '/containerLogs/n/v/c?container=other&insecureSkipTLSVerifyBackend=true&pretty=1',
    `${AT}/log?container=c`,
  ],
  [
    '/exec/n/v/c?command=sh&command=-c&command=echo+%26%23+%ff&input=1&output=1&error=1&tty=1',
    `${AT}/exec?container=c&command=sh&command=-c&command=echo%20%26%23%20%FF&stdin=true&stdout=true&stderr=true&tty=true`,
  ],
  [
    '/exec/n/v/uid/c?command=&input=true&output=false&error=0&tty=',
    `${AT}/exec?container=c&command=&stdin=true`,
  ],
  ['/exec/n/v/c?stdin=1&stdout=1&container=x&dryRun=All', `${AT}/exec?container=c`],
  ['/attach/n/v/c?input=1&output=1&command=sh', `${AT}/attach?container=c&stdin=true&stdout=true`],
  ['/portForward/n/v', `${AT}/portforward`],
  ['/portForward/n/v/uid', `${AT}/portforward`],
  ['/portForward/n/v?port=80&port=81,82', `${AT}/portforward?ports=80&ports=81&ports=82`],
  ['/portForward/n/v?ports=80&container=c', `${AT}/portforward`],
] as const)('%s is %s', ([url, expected]) => {
  const [path = '', query = ''] = url.split('?')
  const request = parsePodRequest('GET', path)
  if (request === undefined || 'status' in request) {
    throw new Error('refused')
  }

  expect(hostPath(request, POD, parseQuery(query))).toBe(expected)
})

test('encodes the names of the host', () => {
  const request = { endpoint: 'portForward', namespace: 'n', pod: 'v' } as const

  const path = hostPath(request, { namespace: '../x', name: 'a/b?c' }, parseQuery(''))

  expect(path).toBe('/api/v1/namespaces/..%2Fx/pods/a%2Fb%3Fc/portforward')
})
