export { ColleaguesModule } from './colleagues.module';
export { Colleagues } from './colleagues.service';
export { toColleague } from './contract-colleague';
export { colleagueIn, OwnTenants } from './own-tenants.service';
