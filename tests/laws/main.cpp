#define BOOST_TEST_MODULE quern laws
#include <boost/test/unit_test.hpp>
