type Environment = Readonly<Record<string, string | undefined>>

/**
 * How many files of tests run at once, each with a host cluster for itself: as many as are named, or as `VPLANE_TEST_LABS`
 * says. They wait half of their time, so that two on two cores take two thirds of the time of one.
 *
 * @default two, one in the cluster of someone else
 */
export function labsAtOnce(environment: Environment): number {
  if ((environment['VPLANE_TEST_KUBECONFIG'] ?? '') !== '') {
    return 1
  }
  const named = namedLabs(environment)
  return named.length > 0 ? named.length : Number(environment['VPLANE_TEST_LABS'] ?? '2')
}

/** The cluster for the file of tests that runs in this process; undefined when none is named. */
export function sharedLab(environment: Environment): string | undefined {
  const named = namedLabs(environment)
  // 1 for the first process of those that run at once.
  const place = Number(environment['VITEST_POOL_ID'] ?? '1') - 1
  return named[place % named.length]
}

/** The clusters that `VPLANE_TEST_LAB` names. */
export function namedLabs({ VPLANE_TEST_LAB = '' }: Environment): string[] {
  return VPLANE_TEST_LAB.split(',').filter((name) => name !== '')
}
