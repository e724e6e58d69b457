export type { Skill } from './skill';
export { SkillsModule } from './skills.module';
export { Skills } from './skills.service';
