import { describeOnHost } from '../../lab/describe-lab.ts'
import { testHostDatabase } from '../../support/databases/host-database-life.ts'

describeOnHost('a plane in a host namespace with MariaDB', { shuffle: false }, () => {
  testHostDatabase('mysql')
})
