#include "agree.h"

START_TEST(agrees_with_others)
{
    expect_agreement(PCS_SOLVER_ACLM, 1e-10);
    expect_one_contact(PCS_SOLVER_ACLM, 1e-10);
}
END_TEST

START_TEST(singular_problems)
{
    expect_singular(PCS_SOLVER_ACLM, 1e-8);
}
END_TEST

START_TEST(limits_of_friction)
{
    expect_limits(PCS_SOLVER_ACLM, 1e-10);
}
END_TEST

START_TEST(units_do_not_matter)
{
    expect_no_units(PCS_SOLVER_ACLM, 1e-9);
}
END_TEST

START_TEST(manners)
{
    expect_manners(PCS_SOLVER_ACLM);
    expect_honesty(PCS_SOLVER_ACLM, 1000);
    expect_extremes(PCS_SOLVER_ACLM, 100);
}
END_TEST

PCS_TEST_MAIN("aclm", agrees_with_others, singular_problems, limits_of_friction,
              units_do_not_matter, manners)
